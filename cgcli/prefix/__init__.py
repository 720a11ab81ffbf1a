"""What the provider caches: blocks in cache order, their digests and the chain over them.

`cg-chain/1`: a block's `rendered` digest is the sha256 of its canonical bytes (`dialects.canonical`); an item's is
over those of its blocks; `static` is over the model, the tools and the system prompt; `states[i]` is over
`states[i-1]` and the digest of message i. A request's chain is `static` with `states`: equal at i means equal up to
and with message i.
"""

from cgcli.prefix.chain import CHAIN, common_messages, extend, item, message, static

__all__ = ["CHAIN", "common_messages", "extend", "item", "message", "static"]
