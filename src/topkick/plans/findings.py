"""What a person should know about a plan although it can be carried out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    line: int
    message: str
