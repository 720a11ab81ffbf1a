"""`python -m cgcli`, and the `cg` entry point."""

import sys

from cgcli.cli.run import main as run


def main() -> None:
    """Run `cg` and exit with its code."""
    sys.exit(run())


if __name__ == "__main__":
    main()
