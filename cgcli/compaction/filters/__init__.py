"""Filters: what `cmdfilter` knows about the output of commands, as data.

A filter names the outputs that it is for and at most eight stages that make them shorter. Whatever it says, lines that
tell of a failure, a place in a file, an exit code or a count of tests stay: `guard` sees to that, for every stage.
"""
