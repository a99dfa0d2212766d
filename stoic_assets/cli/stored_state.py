"""What `stoic doctor` says of stored data: files that are damaged, and what needs them."""

from collections.abc import Callable, Mapping

from stoic_assets.adapters.evaluation.readable_tables import needed_by_all
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.presentation.formatting import plural

Found = tuple[str, str]
"""State and detail of a finding."""


def _tables(workplace: Workplace) -> Found:
    for damage in needed_by_all(workplace):
        raise damage
    damaged = [str(damage) for damage in workplace.warehouse.damaged()]
    if not damaged:
        return "ok", f"no file is damaged in {workplace.warehouse.root}"
    more = f"; {plural(len(damaged), 'file')} of tables are damaged in all" if damaged[1:] else ""
    return "note", f"{damaged[0]}{more}"


STORED: Mapping[str, Callable[[Workplace], Found]] = {"tables": _tables}
