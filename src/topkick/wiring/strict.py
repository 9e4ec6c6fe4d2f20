"""What every table of topkick.toml is made of: unknown keys are refused, and nothing changes."""

from pydantic import BaseModel, ConfigDict

Words = tuple[str, ...]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
