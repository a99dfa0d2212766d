"""What is known about a rated item besides its ratings. None of it was shown to raters as a hint."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RatedItem:
    """One reply that people rated; users of this class map its blind id to it.

    `effectiveness` is the agent's own PAD effectiveness, 0–1, where it reports one. `attention` holds the answers that
    an attention item asks for (a dimension to its mark, `overall` to its answer); it is empty for every other item.
    `words` is the number to read before rating, 0 where no text is known.
    """

    input: str | None = None
    reply: str | None = None
    words: int = 0
    effectiveness: float | None = None
    attention: Mapping[str, int | str] = field(default_factory=dict)
