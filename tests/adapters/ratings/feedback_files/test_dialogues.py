"""Dialogues, which a model reads once and without secrets."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from imported_feedback import DIALOGUE, VERSION, evaluated, reader, table, taken

from stoic_assets.adapters.evaluation.human_evaluations import human_evaluations
from stoic_assets.adapters.ratings.feedback_files import feedback_models
from stoic_assets.adapters.workplace import Workplace, open_workplace


def test_a_dialogue_is_read_once_and_without_secrets(workplace: Workplace, put: Callable[..., Path]) -> None:
    put("d.json", **DIALOGUE)
    model = reader()
    [row] = taken(workplace, model).rows
    assert (row["kind"], row["acceptance_status"], row["interpreter"][:13]) == ("dialogue", "rejected", "gpt-4.1-mini/")
    assert "sk-0123" not in str(model.requests[0].messages)
    assert "missed the deadline" in str(model.requests[0].messages)
    taken(workplace, model)
    taken(workplace, None)
    assert len(model.requests) == 1
    assert json.loads(table(workplace)[0]["virtue_scores"])["wisdom"]["score"] == 0.25


def test_a_key_that_is_a_word_lets_feedback_be_found_and_read_again(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    put("d.json", **DIALOGUE)
    keyed, model = replace(workplace, env=workplace.env | {"AGENT_API_KEY": "feedback"}), reader()
    first, second = taken(keyed, model), taken(keyed, model)
    assert [row["feedback_id"] for row in table(keyed)] == [second.rows[0]["feedback_id"]]
    assert (first, len(model.requests)) == (second, 1)
    assert human_evaluations(keyed, VERSION)[0].virtue_scores["wisdom"].score == 0.25


def test_a_secret_that_stands_in_a_dialogues_own_fields_is_blanked_in_its_words_alone(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    put("d.json", **DIALOGUE)
    workplace.redactor.learn([DIALOGUE["agent_version"], "deadline"])
    model = reader()
    assert len(taken(workplace, model).rows) == 1
    assert "missed the [redacted]" in str(model.requests[0].messages)


def test_a_pattern_that_matches_our_own_words_spoils_no_reading(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    put("d.json", **DIALOGUE)
    settings = workplace.settings.model_copy(update={"redact": (r"\b\w{8,}\b",)})  # rejected, negative
    found = taken(replace(workplace, settings=settings), model := reader())
    assert found.rows[0]["acceptance_status"] == "rejected"
    taken(replace(workplace, settings=settings), model)
    assert len(model.requests) == 1


def test_a_reading_that_was_spoilt_is_made_again(workplace: Workplace, put: Callable[..., Path]) -> None:
    put("d.json", **DIALOGUE)
    taken(workplace, model := reader())
    [row] = table(workplace)
    spoilt = row | {"metrics": row["metrics"].replace("negative", "[redacted]")}
    workplace.warehouse.write("human_feedback_evaluations", row["agent_version"], row["evaluation_id"], [spoilt])
    taken(workplace, model)
    assert (len(model.requests), "negative" in table(workplace)[0]["metrics"]) == (2, True)


def test_without_a_model_a_dialogue_waits(workplace: Workplace, put: Callable[..., Path]) -> None:
    evaluated(workplace, VERSION)
    put("d.json", **DIALOGUE)
    put("a.json")
    found = taken(workplace, None)
    assert len(found.rows) == 1
    assert found.complaints == ("d.json: no model can read the dialogue: set OPENAI_API_KEY or OPENAI_BASE_URL",)


def test_a_dialogue_that_a_model_fails_to_read_is_read_the_next_time(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    evaluated(workplace, VERSION)
    put("d.json", **DIALOGUE)
    assert taken(workplace, reader("down")).complaints == ("d.json: down",)
    assert table(workplace) == []
    assert taken(workplace, reader()).complaints == ()
    assert len(table(workplace)) == 1


def test_offline_there_is_no_model(tmp_path: Path, workplace: Workplace) -> None:
    assert feedback_models(open_workplace({"STOIC_HOME": str(tmp_path / "other")}, start=tmp_path)) is None
    assert feedback_models(workplace) is not None
