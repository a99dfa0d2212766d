"""What is no news in a night, since an alarm was raised of it before."""

from collections.abc import Mapping

from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.nights.night_record import Alarm, Night, Round
from stoic_assets.core.nights.nightly import has_verdict, what_is_worse
from stoic_assets.core.table_rows import Rows


def known_alarms(workplace: Workplace, night: Night, comparisons: Mapping[str, Rows]) -> dict[str, Alarm]:
    """The alarms known in a night, by version: its own and, where another version is worse in one of its
    `comparisons` (by evaluation id), that of the last night before.

    That is the last one held in which the version was compared, whatever its date: a missed night may be held after
    later ones. The night's own come first, as an earlier night may have been held again since.
    """
    worse = {night.versions[each] for each, rows in comparisons.items() if what_is_worse(rows)}
    earlier = workplace.nights.held_before(night.first.held_at) if night.first and worse else []
    known = dict(night.alarms)
    for version in worse - known.keys():
        last = next((each for each in earlier if each.first and _was_compared(workplace, version, each.first)), None)
        if last and version in last.alarms:
            known[version] = last.alarms[version]
    return known


def _was_compared(workplace: Workplace, version: str, held: Round) -> bool:
    """Whether a version came to a verdict in a round, and was compared with a base."""
    if version not in held.evaluations:
        return False
    stored = StoredTables(workplace.warehouse, (version, held.evaluations[version].evaluation_id))
    head, threshold = stored.head(), workplace.settings.invalid_trials_threshold
    return bool(head) and has_verdict(head, threshold) and bool(stored.read_if_stored("version_comparisons"))
