"""The keys of a configuration file, checked by pydantic; an unknown one is refused."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Held = Literal["respect", "pays", "ignore"]


class Table(BaseModel):
    """`[tool.cgcli]`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    policy: str | None = Field(default=None, description="A built-in policy, or a .toml file, relative to this one.")
    pipeline: list[str] | None = Field(default=None, description="Components in order, in place of a policy.")
    held: Held | None = Field(default=None, description="The rule for the held prefix.")
    stash: str | None = Field(default=None, description="The stash's directory, relative to this file.")
    components: dict[str, dict[str, Any]] = Field(default_factory=dict, description="Parameters by component.")

    @model_validator(mode="after")
    def _one_way(self) -> Table:
        if self.policy is not None and self.pipeline is not None:
            raise ValueError("`policy` and `pipeline` exclude each other")
        return self
