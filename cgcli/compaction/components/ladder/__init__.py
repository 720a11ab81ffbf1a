"""`ladder`: a request that grew to its threshold is taken down rung by rung, and what was decided once stays.

Source: amplifier-module-context-simple, the progressive compaction (levels 1-8).
"""
