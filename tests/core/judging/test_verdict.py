import json
import math
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.judging.verdict import (
    MARK_CHARS,
    REPLY_CHARS,
    MalformedVerdict,
    parse_tasks,
    parse_virtue,
    sound_marks,
    task_keys,
    tasks_schema,
    virtue_schema,
)
from stoic_assets.core.virtues import ASPECTS, VIRTUES, Virtue

SHARE = st.floats(0, 1) | st.sampled_from([0, 1])
TEXT = st.text(max_size=30)
OTHER = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT | st.lists(TEXT, max_size=2)


def verdicts(virtue: Virtue) -> st.SearchStrategy[dict[str, Any]]:
    mark = st.fixed_dictionaries({"example": TEXT, "assessment": TEXT, "score": SHARE})
    return st.fixed_dictionaries(
        {
            "supporting_examples": st.lists(TEXT, max_size=5),
            "aspects": st.fixed_dictionaries(dict.fromkeys(ASPECTS[virtue], mark)),
            "reasoning": TEXT, "improvement_suggestions": st.lists(TEXT, max_size=5),
            "exercised": st.booleans(), "score": SHARE, "confidence": SHARE,
        }
    )


def objects(schema: Any) -> list[dict[str, Any]]:
    """Every object schema inside a schema."""
    if isinstance(schema, dict):
        inner = [found for value in schema.values() for found in objects(value)]
        return [schema, *inner] if schema.get("type") == "object" else inner
    return []


@pytest.mark.parametrize("schema", [*map(virtue_schema, VIRTUES), tasks_schema(3)])
def test_every_object_is_strict(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert len(objects(schema)) > 1
    for part in objects(schema):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])


@pytest.mark.parametrize("virtue", VIRTUES)
def test_evidence_is_asked_for_before_the_score(virtue: Virtue) -> None:
    asked = list(virtue_schema(virtue)["properties"])
    assert asked.index("supporting_examples") < asked.index("reasoning") < asked.index("score")


@given(st.data(), st.sampled_from(VIRTUES))
def test_what_fits_the_schema_is_read_as_it_stands(data: st.DataObject, virtue: Virtue) -> None:
    sent = data.draw(verdicts(virtue))
    jsonschema.Draft202012Validator(virtue_schema(virtue)).validate(sent)
    read = parse_virtue(json.dumps(sent), virtue)
    assert (read.score, read.confidence, read.exercised) == (sent["score"], sent["confidence"], sent["exercised"])
    assert list(read.aspects) == list(sent["aspects"])
    assert len(read.supporting_examples) == len(sent["supporting_examples"])


@given(st.data())
def test_parser_and_schema_agree_on_a_changed_field(data: st.DataObject) -> None:
    sent = data.draw(verdicts("courage"))
    sent[data.draw(st.sampled_from([*sent, "extra"]))] = data.draw(OTHER)
    if jsonschema.Draft202012Validator(virtue_schema("courage")).is_valid(sent):
        parse_virtue(json.dumps(sent), "courage")
    else:
        with pytest.raises(MalformedVerdict):
            parse_virtue(json.dumps(sent), "courage")


@given(st.text() | st.recursive(OTHER, lambda inner: st.dictionaries(TEXT, inner, max_size=3)).map(json.dumps))
def test_any_other_text_is_malformed_and_nothing_worse(text: str) -> None:
    with pytest.raises(MalformedVerdict):
        parse_virtue(text, "wisdom")
    with pytest.raises(MalformedVerdict):
        parse_tasks(text, 2)


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_reply_is_called_so(text: str) -> None:
    with pytest.raises(MalformedVerdict, match=r"^the reply is empty$"):
        parse_virtue(text, "wisdom")


@pytest.mark.parametrize(
    "score", ["17", "-0.01", "1.0000001", "NaN", "Infinity", "1e999", "true", '"0.5"', "null", "[0.5]"]
)
def test_a_score_is_a_number_from_0_to_1_or_refused(make_verdict: Callable[..., str], score: str) -> None:
    text = make_verdict("justice").replace('"score": 0.5, "confidence"', f'"score": {score}, "confidence"')
    assert score in text
    with pytest.raises(MalformedVerdict, match="score"):
        parse_virtue(text, "justice")


@pytest.mark.parametrize("field", ["score", "confidence"])
@pytest.mark.parametrize("share", [-0.01, 1.01, 2, "0.5"])
def test_a_judge_is_not_asked_for_more_than_the_scale_has(
    make_verdict: Callable[..., str], field: str, share: object
) -> None:
    asked = jsonschema.Draft202012Validator(virtue_schema("justice"))
    assert asked.is_valid(json.loads(make_verdict("justice")))
    assert not asked.is_valid(json.loads(make_verdict("justice", **{field: share})))


@pytest.mark.parametrize("score", ["0", "1", "0.0", "1.0", "5e-1"])
def test_the_ends_of_the_scale_count(make_verdict: Callable[..., str], score: str) -> None:
    text = make_verdict("justice").replace('"score": 0.5, "confidence"', f'"score": {score}, "confidence"')
    assert parse_virtue(text, "justice").score == float(score)


def test_only_one_fence_may_surround_the_json(make_verdict: Callable[..., str]) -> None:
    verdict = make_verdict("wisdom", reasoning="```json inside``` is text")
    on_lines = (f"```json\n{verdict}\n```\n", f"\n```\n{verdict}``` \n", f" ```JSON \n{verdict}\n  ```")
    for text in (*on_lines, f"```json\r\n{verdict}\r\n```\r\n", f"```json {verdict} ```", f"```{verdict}```"):
        assert parse_virtue(text, "wisdom").score == 0.5
    fenced = f"```json\n{verdict}\n```"
    for text in (f"Here you are: {verdict}", f"{verdict} Thanks!", f"{fenced} ok", f"{fenced}\n{fenced}", verdict * 2):
        with pytest.raises(MalformedVerdict):
            parse_virtue(text, "wisdom")


def test_faults_are_named_by_their_place(make_verdict: Callable[..., str]) -> None:
    aspects = json.loads(make_verdict("wisdom"))["aspects"]
    fewer = {key: mark for key, mark in aspects.items() if key != "factual_accuracy"}
    for changed, complaint in (
        (fewer, "aspects: missing factual_accuracy"),
        ({**aspects, "luck": aspects["truthfulness"]}, r"aspects: .* not asked for: 'luck'"),
        ({**aspects, "truthfulness": {"example": "", "assessment": ""}}, r"aspects\.truthfulness\.score: Field"),
    ):
        with pytest.raises(MalformedVerdict, match=complaint):
            parse_virtue(make_verdict("wisdom", aspects=changed), "wisdom")


@pytest.mark.parametrize("virtue", VIRTUES)
def test_one_virtue_is_not_taken_for_another(make_verdict: Callable[..., str], virtue: Virtue) -> None:
    other = VIRTUES[VIRTUES.index(virtue) - 1]
    with pytest.raises(MalformedVerdict, match="aspects"):
        parse_virtue(make_verdict(other), virtue)


def test_two_values_under_one_key_are_no_verdict(make_verdict: Callable[..., str]) -> None:
    for once, twice in (('"score": 0.8', '"score": 0.8, "score": 1.0'), ('"example"', '"example": "other", "example"')):
        reply = make_verdict("wisdom", score=0.8)
        assert once in reply
        with pytest.raises(MalformedVerdict, match="stands twice in one object"):
            parse_virtue(reply.replace(once, twice), "wisdom")
    with pytest.raises(MalformedVerdict, match="'tone' stands twice"):
        sound_marks('{"task_1": 1, "tone": 1, "tone": {"reason": "so", "score": 0.5}}', 1)


def test_what_does_not_end_is_refused(make_verdict: Callable[..., str]) -> None:
    for texts in ("supporting_examples", "improvement_suggestions"):
        with pytest.raises(MalformedVerdict, match=texts):
            parse_virtue(make_verdict("wisdom", **{texts: ["again"] * 6}), "wisdom")
    for text in ("[" * 20_000, make_verdict("wisdom")[:-20], make_verdict("wisdom", reasoning="x" * REPLY_CHARS), ""):
        with pytest.raises(MalformedVerdict):
            parse_virtue(text, "wisdom")


def test_a_complaint_is_one_short_clean_line() -> None:
    with pytest.raises(MalformedVerdict) as fault:
        parse_tasks(json.dumps({"<<<\x1b[31m\nkey" * 200: 1, "tone": {}}), 1)
    assert len(str(fault.value)) <= 500
    assert not set("\n\x1b<") & set(str(fault.value))
    with pytest.raises(MalformedVerdict) as fault:
        parse_virtue("{}", "wisdom")
    assert str(fault.value).count("Field required") == 3


def test_the_words_of_a_judge_are_cleaned(make_verdict: Callable[..., str]) -> None:
    assert parse_virtue(make_verdict("wisdom", reasoning="a\x1b[31mb\u202e\x00"), "wisdom").reasoning == "ab"


def test_lone_surrogates_are_malformed(make_verdict: Callable[..., str]) -> None:
    for text in (make_verdict("wisdom", reasoning="\ud800"), '{"\ud800": 1}'):
        with pytest.raises(MalformedVerdict):
            parse_virtue(text, "wisdom")


def test_marks_come_in_the_order_of_the_tasks_and_the_tone_last() -> None:
    said = {"tone": "warm", "task_2": "b", "task_1": "a"}
    marks = {key: {"reason": reason, "score": 0.5} for key, reason in said.items()}
    jsonschema.validate(marks, tasks_schema(2))
    assert [mark.reason for mark in parse_tasks(json.dumps(marks), 2).values()] == ["a", "b", "warm"]
    with pytest.raises(MalformedVerdict, match="task_3"):
        parse_tasks(json.dumps(marks), 3)
    with pytest.raises(MalformedVerdict, match="task_2"):
        parse_tasks(json.dumps(marks), 1)


@pytest.mark.parametrize(
    "spoilt",
    [
        {"reason": "b", "score": 17}, {"reason": "b", "score": True}, {"reason": "b", "score": math.nan},
        {"reason": "b", "score": "0.5"}, {"reason": 1, "score": 0.5}, {"score": 0.5}, {"reason": "b"}, [], None,
        {"reason": "b", "score": 0.5, "more": 1},
    ],
)  # fmt: skip
def test_a_sound_mark_is_one_that_was_asked_for_and_is_well_formed_by_itself(spoilt: Any) -> None:
    sound = {"reason": "a\x1b[31m", "score": 1}
    said = {"task_1": sound, "task_2": spoilt, "tone": sound, "task_3": sound, "task_03": sound, "verdict": sound}
    found = sound_marks(json.dumps(said), 2)
    assert {key: (mark.reason, mark.score) for key, mark in found.items()} == {"task_1": ("a", 1.0), "tone": ("a", 1.0)}
    with pytest.raises(MalformedVerdict):
        parse_tasks(json.dumps(said), 2)


@pytest.mark.parametrize(("tasks", "most"), [(0, REPLY_CHARS), (99, 100 * MARK_CHARS)])
@pytest.mark.parametrize("read", [parse_tasks, sound_marks])
def test_a_reply_of_the_greatest_length_is_read(read: Callable[..., Any], tasks: int, most: int) -> None:
    marks = json.dumps({key: {"reason": "", "score": 1} for key in task_keys(tasks)})
    assert len(read(marks.ljust(most), tasks)) == tasks + 1
    with pytest.raises(MalformedVerdict, match=f"longer than {most} characters"):
        read(marks.ljust(most + 1), tasks)


def test_what_is_no_object_holds_no_sound_mark() -> None:
    whole = json.dumps({key: {"reason": "", "score": 1} for key in ("task_1", "tone")})
    assert len(sound_marks(f"```json\n{whole}\n```", 1)) == 2
    for text in (whole[:-1], f"[{whole}]", f"Here: {whole}", "", '"' + "x" * REPLY_CHARS, '{"\ud800": 1}'):
        with pytest.raises(MalformedVerdict):
            sound_marks(text, 1)


@pytest.mark.parametrize("other", ["x", {"reason": "so", "score": 0.5}, {"score": 2}])
def test_a_key_that_was_not_asked_for_is_complained_of_as_such_whatever_it_holds(other: object) -> None:
    mark = {"reason": "so", "score": 0.5}
    with pytest.raises(MalformedVerdict, match=r"^the reply: holds what was not asked for: 'overall_comment'$"):
        parse_tasks(json.dumps({"task_1": mark, "tone": mark, "overall_comment": other}), 1)
