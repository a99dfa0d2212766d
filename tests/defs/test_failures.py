"""What a step that was interrupted leaves: a failure that is not tried again."""

import dagster as dg
import pytest

from stoic_assets.adapters.duckdb_engine import is_interrupt
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs.failures import reported


def test_an_interrupt_that_duckdb_tells_in_words_is_no_fault_to_try_again(workplace: Workplace) -> None:
    with pytest.raises(dg.Failure) as failed, reported(workplace):
        raise RuntimeError("Query interrupted")
    assert (failed.value.description, failed.value.allow_retries) == ("interrupted", False)
    assert isinstance(failed.value.__cause__, KeyboardInterrupt)


def test_other_errors_are_no_interrupts(workplace: Workplace) -> None:
    assert not is_interrupt(ValueError("Query interrupted"))
    with pytest.raises(RuntimeError, match="broken"), reported(workplace):
        raise RuntimeError("broken")
