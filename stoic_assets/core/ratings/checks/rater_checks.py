"""All checks of raters over one study."""

from collections.abc import Mapping

from stoic_assets.core.ratings.checks.attention import missed_attention
from stoic_assets.core.ratings.checks.flag import RaterChecks
from stoic_assets.core.ratings.checks.mark_patterns import always_high, contradictory_overall, straight_lining
from stoic_assets.core.ratings.checks.outliers import outliers
from stoic_assets.core.ratings.checks.pace import is_timed, too_fast
from stoic_assets.core.ratings.checks.repeats import inconsistent_repeats
from stoic_assets.core.ratings.counted_ratings import counted
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rating_table import RatingTable
from stoic_assets.core.table_rows import Rows


def rater_checks(rows: Rows, table: RatingTable, items: Mapping[str, RatedItem]) -> RaterChecks:
    """Every check of every rater, by rater. `rows` are all of `human_ratings`, `table` those that count."""
    attention = attention_ids(items)
    proper = counted(rows, attention)
    repeats = [row for row in rows if row.get("repeat_of") and not row.get("practice")]
    asked = [row for row in rows if row["test_id"] in attention and not row.get("practice")]
    flags = [
        *straight_lining(table), *always_high(table), *contradictory_overall(table), *outliers(table),
        *too_fast(proper, items), *inconsistent_repeats(proper, repeats), *missed_attention(asked, items),
    ]  # fmt: skip
    not_made = {
        "outlier": "" if len(table.raters) > 2 else "it needs three raters",
        "too_fast": "" if any(is_timed(row, items) for row in proper) else "no rating has both a time and a known text",
        "inconsistent_repeats": "" if repeats else "no item was shown twice",
        "missed_attention": "" if asked else "no attention item was shown",
    }
    flags.sort(key=lambda flag: (flag.rater_id, flag.check))
    return RaterChecks(flags, {check: why for check, why in not_made.items() if why})


def attention_ids(items: Mapping[str, RatedItem]) -> frozenset[str]:
    """The blind ids of attention items."""
    return frozenset(test_id for test_id, item in items.items() if item.attention)
