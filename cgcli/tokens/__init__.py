"""How many tokens a text has: counted offline as `tiktoken` counts, scaled where a model counts otherwise.

Importing this package loads no tokenizer and no vocabulary; the first count does.
"""

from cgcli.tokens.counter import Counter, counter
from cgcli.tokens.engines import EngineUnusable
from cgcli.tokens.factor import estimate, fit

__all__ = ["Counter", "EngineUnusable", "counter", "estimate", "fit"]
