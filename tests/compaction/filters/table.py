"""Write the table of built-in filters anew: `python -m tests.compaction.filters.table`."""

from __future__ import annotations

from cgcli.compaction.filters.builtin import TABLE, table

if __name__ == "__main__":
    TABLE.write_bytes(table())
