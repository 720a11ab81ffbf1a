"""The command line: arguments in, one core call, a report and an exit code out."""
