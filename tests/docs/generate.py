"""Write the generated parts of the documentation and the outputs that it shows anew.

python -m tests.docs.generate          every page
python -m tests.docs.generate PAGE...  these pages
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs import readme
from tests.docs.console import rerun
from tests.docs.generated import rewritten
from tests.docs.pages import README, name, pages

_FAULT = "cg: unexpected: "


def main() -> None:
    """Rewrite the pages that the command line names, or all."""
    named = {Path(word).resolve() for word in sys.argv[1:]}
    for page in pages():
        if named and page not in named:
            continue
        before = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            after = rerun(rewritten(before), Path(folder))
        if page == README:
            with tempfile.TemporaryDirectory() as folder:
                after = readme.rewritten(after, Path(folder))
        if _FAULT in after:
            sys.exit(f"{name(page)}: a command met a fault of the program; the page stays as it was")
        if after != before:
            page.write_text(after, encoding="utf-8")
            sys.stdout.write(f"{name(page)}\n")


if __name__ == "__main__":
    main()
