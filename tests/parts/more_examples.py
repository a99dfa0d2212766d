"""Property tests that need more examples than the usual ones."""

from hypothesis import settings


def more_examples(times: int) -> settings:
    """So many times the usual number, which `STOIC_TEST_EXAMPLES` sets."""
    return settings(max_examples=times * settings().max_examples)
