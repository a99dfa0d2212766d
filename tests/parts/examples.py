"""Property tests that need more examples than the usual ones, or fewer."""

from hypothesis import settings


def examples(times: float) -> settings:
    """So many times the usual number, which `STOIC_TEST_EXAMPLES` sets; one at least."""
    return settings(max_examples=max(1, round(times * settings().max_examples)))
