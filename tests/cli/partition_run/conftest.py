"""What a run of a command leaves behind."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def handlers_are_put_back() -> Iterator[None]:
    """A command ends after its run, and leaves that to the end of the process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
