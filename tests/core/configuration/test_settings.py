from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from stoic_assets.core.configuration.endpoint_limits import AgentLimit, EndpointLimit, ModelLimit
from stoic_assets.core.configuration.settings import PRICES, Price, Settings
from stoic_assets.core.errors import DocumentError
from stoic_assets.core.secrets.secret_forms import BUILT_IN
from stoic_assets.core.text.documents import parse_document
from stoic_assets.core.text.yaml_text import read_yaml

FILE = Path(__file__).parents[3] / "stoic.yml"
LINES = FILE.read_text(encoding="utf-8").splitlines()
PLACES = read_yaml(FILE.read_text(encoding="utf-8"), "stoic.yml").lines


def plain(settings: Settings) -> dict[str, Any]:
    return settings.model_dump(mode="json")


def test_the_file_holds_every_default_and_nothing_else() -> None:
    written = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    assert written == plain(Settings())
    assert parse_document(FILE.read_text(encoding="utf-8"), Settings, "stoic.yml") == Settings()


def leaves(document: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    return [
        leaf
        for key, value in document.items()
        for leaf in (leaves(value, (*path, key)) if isinstance(value, dict) else [(*path, key)])
    ]


def test_every_key_has_a_comment() -> None:
    assert [".".join(leaf) for leaf in leaves(plain(Settings())) if not has_comment(leaf)] == []


def has_comment(leaf: tuple[str, ...]) -> bool:
    """On its own line or its section's, or above the paragraph that it stands in."""
    numbers = [PLACES[leaf[:depth]] - 1 for depth in range(1, len(leaf) + 1)]
    return any("#" in LINES[number] for number in numbers) or head_of_paragraph(numbers[-1]).startswith("#")


def head_of_paragraph(number: int) -> str:
    while number and LINES[number - 1]:
        number -= 1
    return LINES[number]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("invalid_trials_threshhold: 0.2", "stoic.yml:1: invalid_trials_threshhold: unknown key; did you mean"),
        ("limits:\n  agent: {inflight: 3}", "stoic.yml:2: limits.agent.inflight: unknown key; did you mean"),
        (
            "limits:\n  agent: {tokens_per_minute: 9}",
            "stoic.yml:2: limits.agent.tokens_per_minute: a key of evaluator and judge alone",
        ),
        ("limits: {judge: {largest_reply_mib: 9}}", "stoic.yml:1: limits.judge.largest_reply_mib: a key of agent al"),
        ("limits: {3: {tokens_per_minute: 9}}", "stoic.yml:1: limits.3: unknown key; known keys: agent"),
        ("limits:\n", "stoic.yml:1: limits: has no value"),
        ("limits:\n  judge:\n    attempts: 0", "stoic.yml:3: limits.judge.attempts: Input should be greater"),
        ("judging: {model_options: {m: {stream: true}}}", "stoic.yml:1: judging.model_options.m: stream: set by"),
        ("judging: {model_options: {m: {extra_body: {}}}}", "stoic.yml:1: judging.model_options.m: extra_body: an arg"),
        ("prices:\n  sage: {input: 1}", "stoic.yml:2: prices.sage.output: is required"),
        ("redact: ['x+|']", "stoic.yml:1: redact[0]: 'x+|' matches the empty text; a secret has at least one c"),
        ("redact: ['[[a]']", "stoic.yml:1: redact[0]: '[[a]' is not a regular expression: Possible nested set"),
        (
            "feedback:\n  virtues: {Tone of voice: wisdom, tone-of-voice: courage}",
            "stoic.yml:2: feedback.virtues: 'Tone of voice' and 'tone-of-voice' are the same dimension, so both must",
        ),
        ("redact: secret", "stoic.yml:1: redact: a list is expected"),
        ("invalid_trials_threshold: 10", "stoic.yml:1: invalid_trials_threshold: Input should be less"),
        ("nightly:\n  cron: 0 25 * * *", "stoic.yml:2: nightly.cron: hour '25': write 0-23"),
        *(
            (f"nightly:\n  time_zone: {zone}", "stoic.yml:2: nightly.time_zone: write a time zone by its IANA name")
            for zone in ("Mars", "Europe", "../etc", "Europe/" + "x" * 300)
        ),
    ],
)
def test_a_wrong_setting_is_named(text: str, fault: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, Settings, "stoic.yml")
    assert str(caught.value).startswith(fault)


def test_one_key_changes_one_setting() -> None:
    settings = parse_document("limits: {judge: {attempts: 2}}", Settings, "stoic.yml")
    assert settings.limits.judge.attempts == 2
    assert settings.limits.judge.backoff_seconds == Settings().limits.judge.backoff_seconds
    assert settings.limits.agent == Settings().limits.agent


def test_patterns_of_your_own_come_beside_those_that_are_built_in() -> None:
    settings = parse_document(r"redact: ['EMP-\d{6}']", Settings, "stoic.yml")
    assert settings.secret_patterns == (*BUILT_IN, r"EMP-\d{6}")
    alone = parse_document(r"{redact: ['EMP-\d{6}'], redact_built_in: false}", Settings, "stoic.yml")
    assert alone.secret_patterns == (r"EMP-\d{6}",)


def test_a_price_changes_no_other() -> None:
    settings = parse_document("prices: {sage: {input: 1, output: 2}, gpt-4.1: {input: 3, output: 4}}", Settings, "s")
    assert settings.prices == PRICES | {"sage": Price(input=1, output=2), "gpt-4.1": Price(input=3, output=4)}


def test_one_floor_changes_no_other() -> None:
    settings = parse_document("evolution: {floors: {courage: 0.9, justice: 0}}", Settings, "stoic.yml")
    assert settings.evolution.floors == {
        "wisdom": 0.5, "courage": 0.9, "justice": 0, "temperance": 0.5, "practical_wisdom": 0.5,
    }  # fmt: skip


LIMITS = [(kind, key) for kind in (AgentLimit, ModelLimit) for key in kind.model_fields]


@pytest.mark.parametrize(("kind", "key"), LIMITS)
def test_a_limit_may_be_small_but_must_let_something_through(kind: type[EndpointLimit], key: str) -> None:
    least = 1 if key in ("in_flight", "attempts") else 0.001
    assert getattr(kind.model_validate({key: least}), key) == least
    with pytest.raises(ValidationError, match="greater than"):
        kind.model_validate({key: 0})


def test_no_reply_is_larger_than_a_process_can_take() -> None:
    assert AgentLimit(largest_reply_mib=2048).largest_reply_mib == 2048
    with pytest.raises(ValidationError, match="less than or equal to 2048"):
        AgentLimit(largest_reply_mib=2049)
