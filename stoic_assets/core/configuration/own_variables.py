"""The environment variables that begin with `STOIC_`, to find those that are mistyped: nothing else would read them."""

from collections.abc import Iterable
from difflib import get_close_matches

PREFIX = "STOIC_"
OWN = frozenset(
    f"{PREFIX}{name}"
    for name in (
        "HOME", "WAREHOUSE", "LLM", "EVALUATOR_MODEL", "JUDGE_MODEL", "JUDGE_API_KEY", "JUDGE_BASE_URL",
        "ALLOW_SETUPS", "GRAPH_URI", "GRAPH_USERNAME", "GRAPH_PASSWORD", "GRAPH_DATABASE", "GRAPH_SHARED",
        "WEBHOOK_URL", "WEBHOOK_SECRET", "UI_TOKEN",
        # of dbt_like_sql/, read by dbt
        "DBT_DATABASE",
        # of deploy/, read by Docker Compose and by its dagster.yaml
        "PROJECT", "BROKER_URL", "POSTGRES_HOST", "POSTGRES_PORT", "POSTGRES_USER", "POSTGRES_PASSWORD",
        "POSTGRES_DATABASE",
    )
)  # fmt: skip


def mistyped(names: Iterable[str]) -> list[str]:
    """A line for each name that looks like one of ours and is none."""
    return [_line(name) for name in sorted(names) if name.startswith(PREFIX) and name not in OWN]


def _line(name: str) -> str:
    close = get_close_matches(name, sorted(OWN), n=1, cutoff=0.8)
    return f"{name} is no variable of Stoic Eval" + (f"; did you mean {close[0]}?" if close else "")
