"""Each table can be made again by a command, or it is said that it cannot."""

import pytest

from stoic_assets.core.releases import ALL_VERSIONS
from stoic_assets.core.table_repair import way_to_remake


@pytest.mark.parametrize(
    ("table", "version", "way"),
    [
        ("turns", "m@1", "run `stoic eval --agent-version m@1 --resume e`"),
        ("evaluations", "m@1", "run `stoic eval --agent-version m@1 --resume e`"),
        ("virtue_scores", "m@1", "run `stoic regrade --agent-version m@1 --evaluation e`"),
        ("composite_scores", "m@1", "run `stoic regrade --agent-version m@1 --evaluation e`"),
        ("human_ratings", "m@1", "collect the raters' files again with `stoic ratings collect`"),
        ("judge_calibration", ALL_VERSIONS, "run `stoic ratings calibrate`"),
        ("human_feedback_evaluations", "m@1", "run `stoic feedback`"),
        ("judge_drift", ALL_VERSIONS, ""),
        ("llm_calls", ALL_VERSIONS, ""),
    ],
)
def test_the_way_depends_on_what_the_rows_were_made_from(table: str, version: str, way: str) -> None:
    assert way_to_remake(table, version, "e").removesuffix(" (same options)") == way


def test_what_judges_make_waits_for_conversations_that_are_not_stored() -> None:
    for table in ("virtue_scores", "composite_scores"):
        assert way_to_remake(table, "m@1", "e", has_evidence=False) == "run `stoic eval --agent-version m@1 --resume e`"
    assert way_to_remake("human_feedback_evaluations", "m@1", "e", has_evidence=False) == "run `stoic feedback`"


@pytest.mark.parametrize("evaluation_id", ["human-feedback", "human-ratings"])
def test_events_of_what_people_found_come_with_it(evaluation_id: str) -> None:
    assert way_to_remake("events", "m@1", evaluation_id) == "run `stoic feedback`"
    assert "stoic regrade" in way_to_remake("events", "m@1", "e")
