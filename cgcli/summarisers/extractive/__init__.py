"""A summary made by rule: what a span says of its task, decisions, files, errors and state, in its own words."""
