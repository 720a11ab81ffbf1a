"""A rollout of Codex."""
