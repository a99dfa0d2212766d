"""Secrets in JSON: found however it is written, and what is left is JSON."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.secrets.redaction import BLANK, Redactor

KEY, KNOWN, CARD = "sk-abcdefghijklmnopqrstuv", "supersecretvalue123", 4111111111111111
REDACTOR = Redactor((*Settings().secret_patterns, r"\b\d{16}\b"), [KNOWN, "20261122"])


def redacted(text: str, redactor: Redactor = REDACTOR) -> str:
    shown = redactor.row({"content": text})["content"]
    assert redactor.row({"content": shown})["content"] == shown, "once is enough"
    return str(shown)


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f'{{"a":"{KNOWN}","a":"x"}}', '{"a":"[redacted]","a":"x"}'),
        (f'{{"a":{{"t":"{KEY}"}},"a":1}}', '{"a":{"t":"[redacted]"},"a":1}'),
        (f'{{"a":"{escaped(KEY)}", "a":1}}', '{"a":"[redacted]", "a":1}'),
        (f'\n {{"{KEY}": 1e400, "{KNOWN}": NaN}}', '\n {"[redacted]": 1e400, "[redacted]": NaN}'),
        (f"[{CARD}, [1, {CARD}.0, -{CARD}], true]", '["[redacted]", [1, "[redacted]", "[redacted]"], true]'),
        ('{"card": [4.111111111111111E15, 1e2]}', '{"card": ["[redacted]", 1e2]}'),
        (f'{{"card":{CARD},"more":[20261122, 3]}}', '{"card":"[redacted]","more":["[redacted]", 3]}'),
        ('{"Password": ["hunter22", [12345, null], {"a": "hello"}, "hunter23", true]}',
         '{"Password": ["[redacted]", ["[redacted]", null], {"a": "hello"}, "[redacted]", true]}'),
        ('{"p\\u0061ssword": "hunter22"}', '{"p\\u0061ssword": "[redacted]"}'),
        ('{"a": {"password": "hunter22"}, "b": ["hello"]}', '{"a": {"password": "[redacted]"}, "b": ["hello"]}'),
        (json.dumps({"a": json.dumps([json.dumps({"b": KEY, "n": 1})])}),
         json.dumps({"a": json.dumps([json.dumps({"b": BLANK, "n": 1})])})),
        (json.dumps({"arguments": f'{{"k": "{escaped(KEY)}"}}'}), '{"arguments": "{\\"k\\": \\"[redacted]\\"}"}'),
        (f'"{escaped(KNOWN)}"', '"[redacted]"'),
        (f'so: {{"k": "{escaped(KEY)}"}}', 'so: {"k": "[redacted]"}'),
        (f'{{"k": "\\{escaped(KEY)}" and on', '{"k": "\\[redacted]" and on'),
        (f"{'[' * 9999}\"{escaped(KNOWN)}\"{']' * 9999}", f"{'[' * 9999}\"[redacted]\"{']' * 9999}"),
        (f'{{"a": {"9" * 5000}, "b": "{escaped(KNOWN)}"}}', f'{{"a": {"9" * 5000}, "b": "[redacted]"}}'),
    ],
)  # fmt: skip
def test_a_secret_in_json_is_found_and_the_rest_stays_as_it_is_written(text: str, shown: str) -> None:
    assert redacted(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        '{"url":"https://shop.example","email":"me@shop.example"}', '{"a":{"b":{"password":true}}}',
        '{"a":{"password":[]}}',
        '{"a": 1, "a": 1.0, "b": [null, NaN, -Infinity, 1e400, -0]}', '{"password": null, "hint": "Enter password: "}',
        '{"password": {"min": 1234, "max": 5678}}', '"caf\\u00e9 \\u0041"', '{"password":[{"id":4711}]}',
    ],
)  # fmt: skip
def test_json_without_a_secret_stays_as_it_is_written(text: str) -> None:
    assert redacted(text) == text


def test_a_value_without_a_key_is_matched_alone() -> None:
    assert redacted('["hunter22", 7]', Redactor([r"=\w+"])) == '["hunter22", 7]'


@pytest.mark.parametrize("value", [CARD, [CARD], [[float(CARD)]], {"a": [CARD]}, ({"a": CARD},), f"[{CARD}]"])
def test_a_number_is_found_wherever_it_stands(value: Any) -> None:
    assert str(CARD) not in json.dumps(REDACTOR.data(value))
    assert str(CARD) not in json.dumps(REDACTOR.row({"context": value, "content": json.dumps(value)}))
    assert BLANK in json.dumps(REDACTOR.data(value))


@pytest.mark.parametrize(
    ("pattern", "text", "shown"),
    [
        (r'"pin":\s*"[^"]*"', '{"k":{"pin":"y", "n":1}}', '{"k":{"pin":"[redacted]", "n":1}}'),
        (r'"pin":\s*\[[^]]*\]', '{"pin": ["a", null], "b": 7}', '{"pin": ["[redacted]", null], "b": 7}'),
        (r'"pin",\s*"v":\s*"[^"]*"', '{"type": "pin", "v": "x"}', '{"type": "[redacted]", "v": "[redacted]"}'),
        (r'\{"id-\d+"\s*:', '[{"id-4711": {"a": 1}}]', '[{"[redacted]": {"a": 1}}]'),
        (r'"schlüssel": "[^"]*"', '{"schlüssel": "y"}', '{"schlüssel": "[redacted]"}'),
        (r"token.*", '{"a": "token 1", "b": "c"}', '{"a": "[redacted]", "b": "c"}'),
        (r'"a": true', '{"a": true}', '{"a": true}'),
    ],
)
def test_a_pattern_with_a_quote_sees_json_as_it_is_written(pattern: str, text: str, shown: str) -> None:
    assert redacted(text, Redactor([pattern])) == shown
    assert Redactor([pattern]).data(json.loads(text)) == json.loads(shown)


def test_a_known_secret_across_values_is_found() -> None:
    assert redacted('{"a": [123, 456, 7]}', Redactor([], ["123, 456"])) == '{"a": ["[redacted]", "[redacted]", 7]}'


SECRETS = st.text("XYZ019é😀\"\\/ <&+=:", min_size=4, max_size=6).map("X{}9".format)


@st.composite
def spelt(draw: st.DrawFn, text: str) -> str:
    """`text` as JSON in which any character may be escaped."""
    forms = (json.dumps, lambda sign: json.dumps(sign, ensure_ascii=False), lambda sign: f'"{escaped(sign)}"')
    signs = (draw(st.sampled_from(forms[: 3 if sign < "\x80" else 2]))(sign)[1:-1] for sign in text)
    return f'"{"".join(signs)}"'


@st.composite
def documents(draw: st.DrawFn, secret: str, levels: int = 3) -> str:
    """A JSON text that is likely to contain `secret`; keys may be repeated, and texts may be JSON."""
    text = st.sampled_from(["", "a", secret, f"my {secret}!"])
    kind = draw(st.sampled_from(["text", "number", "list", "object", "json"] if levels else ["text", "number"]))
    if kind == "text":
        return draw(spelt(draw(text)))
    if kind == "number":
        return draw(st.sampled_from(["1", "-1.5e3", "true", "null", "NaN"]))
    if kind == "json":
        return draw(spelt(draw(documents(secret, levels - 1))))
    inner = draw(st.lists(documents(secret, levels - 1), max_size=3))
    if kind == "list":
        return f"[{', '.join(inner)}]"
    return "{" + ",".join(f"{draw(spelt(draw(text)))}: {each}" for each in inner) + "}"


def texts(written: str) -> Iterator[str]:
    """All texts in JSON, also in JSON in its texts, and under repeated keys."""
    yield written
    try:
        waiting = [json.loads(written, object_pairs_hook=lambda pairs: [each for pair in pairs for each in pair])]
    except ValueError:
        return
    while waiting:
        held = waiting.pop()
        waiting += held if isinstance(held, list) else []
        if isinstance(held, str):
            yield from texts(held)


@given(st.data(), SECRETS)
def test_no_secret_is_left_in_json_nor_in_any_text_of_it(data: st.DataObject, secret: str) -> None:
    text = data.draw(documents(secret))
    for redactor in (Redactor([], [secret]), Redactor([f"X{'[^!]' * (len(secret) - 2)}9"])):
        shown = redactor.row({"content": text})["content"]
        json.loads(shown)
        assert not [each for each in texts(shown) if secret in each]
        assert (shown != text) == any(secret in each for each in texts(text))


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\"' * 500_000, "[" + '"[",' * 250_000 + "1]", '{"password":[' + "12345678," * 110_000 + "1]}",
        "[" + ("-" * 1_000_000), '{"a"' + " " * 1_000_000 + ":1}",
        '{"password"' * 90_000, '"' + r"\u0041" * 160_000 + '"',
    ],
)  # fmt: skip
def test_a_megabyte_of_json_takes_time_by_its_length(text: str) -> None:
    began = time.process_time()
    REDACTOR.row({"content": text})
    assert time.process_time() - began < 10, "1 s"
