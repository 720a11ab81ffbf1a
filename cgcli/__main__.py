"""`python -m cgcli`, and the `cg` entry point."""

import gc
import sys

from cgcli.cli.run import main as run

_YOUNG_OBJECTS = 200_000
"""What a request is made of lives as long as its lane, and next to nothing is in a cycle: looking for those after every
700 new objects, as Python does, took a sixth of the time of a long session."""


def main() -> None:
    """Run `cg` and exit with its code."""
    gc.set_threshold(_YOUNG_OBJECTS, 20, 20)
    sys.exit(run())


if __name__ == "__main__":
    main()
