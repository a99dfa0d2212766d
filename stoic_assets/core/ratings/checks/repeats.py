"""The check for raters who rate the same reply differently when they see it again."""

from collections.abc import Iterator

from stoic_assets.core.ratings.checks.flag import RaterFlag
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES
from stoic_assets.core.table_rows import Rows

LARGEST_CHANGE = 1.0
"""The mean change, in marks, above which a rater is flagged. Marks at random change by 1.6 on average."""


def inconsistent_repeats(rows: Rows, repeats: Rows) -> Iterator[RaterFlag]:
    """Raters whose marks on hidden repeats differ from their first ones by more than a mark on average."""
    first = {(row["rater_id"], row["test_id"]): row for row in rows}
    changes: dict[str, list[float]] = {}
    for again in repeats:
        before = first.get((again["rater_id"], again["repeat_of"]), {})
        changes.setdefault(again["rater_id"], []).extend(
            abs(again[key] - before[key])
            for key in DIMENSION_NAMES
            if again.get(key) is not None and before.get(key) is not None
        )
    for rater, differences in sorted(changes.items()):
        if differences and sum(differences) / len(differences) > LARGEST_CHANGE:
            mean = sum(differences) / len(differences)
            detail = f"marks on repeated items changed by {mean:.1f} on average, over {len(differences)} marks"
            yield RaterFlag(rater, "inconsistent_repeats", detail)
