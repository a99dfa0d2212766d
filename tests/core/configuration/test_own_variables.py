"""Variables that nobody reads, found by their names."""

import re
from pathlib import Path

from stoic_assets.core.configuration.own_variables import OWN, mistyped

ROOT = Path(__file__).parents[3]


def test_what_looks_like_a_variable_of_ours_is_told() -> None:
    names = ["STOIC_JUGE_MODEL", "STOIC_LLM", "PATH", "STOIC_SOMETHING_ELSE", "STOICISM"]
    assert mistyped(names) == [
        "STOIC_JUGE_MODEL is no variable of Stoic Eval; did you mean STOIC_JUDGE_MODEL?",
        "STOIC_SOMETHING_ELSE is no variable of Stoic Eval",
    ]


def test_all_that_a_deployment_or_dbt_reads_is_known() -> None:
    deploy, dbt = ROOT / "deploy", ROOT / "dbt_like_sql"
    files = [*(deploy / name for name in ("compose.yaml", "dagster.yaml", ".env.example")), *dbt.rglob("*.yml")]
    used = {name for file in files for name in re.findall(r"STOIC_[A-Z_]+", file.read_text())}
    assert used <= OWN
