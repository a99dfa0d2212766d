"""What one evaluation may use: steps, depth, and the size of what it builds. A hostile reply cannot make it hang."""

from collections.abc import Iterable

from stoic_assets.core.errors import ExpressionFailure

MAX_SIZE = 1_000_000
"""Characters in a string that an expression may build. A list needs no limit: each of its items costs a step."""

CHARACTERS_PER_STEP = 100
"""Reading or building text costs steps too, so that repeated searches in one long text are limited as well."""


class Budget:
    """Counts down the steps of one evaluation. Every method raises `ExpressionFailure` above its limit."""

    def __init__(self, max_steps: int, max_depth: int) -> None:
        self.max_steps, self.max_depth = max_steps, max_depth
        self.steps_left = max_steps

    def spend(self, depth: int = 0, characters: int = 0) -> None:
        """Takes one step at `depth`, plus those that reading `characters` of text costs."""
        self.steps_left -= 1 + characters // CHARACTERS_PER_STEP
        if self.steps_left < 0:
            raise ExpressionFailure(f"more than {self.max_steps:,} steps are needed on this data; look at less of it")
        if depth > self.max_depth:
            raise ExpressionFailure(f"expression or data has more than {self.max_depth} levels; look at less of it")

    def join(self, pieces: Iterable[str]) -> str:
        """The pieces as one string."""
        collected, size = [], 0
        for piece in pieces:
            size += len(piece)
            self.spend(characters=len(piece))
            if size > MAX_SIZE:
                raise ExpressionFailure(f"the expression builds a text of more than {MAX_SIZE:,} characters")
            collected.append(piece)
        return "".join(collected)
