import json
import re
import string
import time
from base64 import b64encode, encodebytes, urlsafe_b64encode
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.secrets.redaction import BLANK, SHORTEST, Redactor

DEFAULT = Redactor(Settings().secret_patterns)


BEGINNINGS = (
    "password:", "passwd = ", 'passphrase": "', "password : '", "password", "sk-", "sk-a ", "bearer ", "bearer a", "://",
    "://a:", "a:", ":", "=", " ", "a",
)  # fmt: skip


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_text_that_begins_like_a_secret_over_and_over_takes_time_by_its_length(beginning: str) -> None:
    begun = beginning * (40_000 // len(beginning))
    secrets = Redactor(Settings().secret_patterns, [f"{beginning * 4}." for beginning in BEGINNINGS])
    began = time.process_time()
    for text in (begun, f"password:{begun}", f"bearer {begun}", f"://{begun}"):
        secrets.data({"content": text, text: text})
    assert time.process_time() - began < 4, "0.2 s; 80 s where each beginning looks on to the end"


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("p@ssw0rd99", "postgres://user:p@ssw0rd99@db", f"postgres://{BLANK}@db"),
        ("sk-abcdefghijklmnopqrst.uvwxyz", "key: sk-abcdefghijklmnopqrst.uvwxyz.", f"key: {BLANK}."),
        ("sk-abcdefghijklmnopqrst.uvwxyz", r"key: sk-abcdefghijklmnopqrst\u002euvwxyz.", f"key: {BLANK}."),
        ("12345678901234567|abc", "Authorization: Bearer 12345678901234567|abc", f"Authorization: {BLANK}"),
        ("correct horse battery", 'password: "correct horse battery"', f'{BLANK}"'),
        ("hunter22 horse", "password=hunter22+horse, password=hunter22%20horse", f"{BLANK}, {BLANK}"),
        ("old password", "my old password=hunter22", f"my {BLANK}"),
    ],
)
def test_what_only_begins_or_ends_like_something_else_is_blanked_as_a_whole(
    secret: str, text: str, shown: str
) -> None:
    assert DEFAULT.knowing([secret]).text(text) == shown


def test_of_known_secrets_that_overlap_none_is_left() -> None:
    assert Redactor([], ["tr0ub4dor", "dor&3.14"]).text("a tr0ub4dor&3.14 b") == f"a {BLANK} b"


def test_secrets_side_by_side_are_blanked_one_by_one() -> None:
    assert Redactor(["[a-z]{6}"], ["S3CRET"]).text("secretS3CRETsecret") == BLANK * 3


def test_what_is_left_of_a_text_with_escapes_stays_as_it_is_written() -> None:
    assert Redactor([], ["s3cret"]).text(r"\u00e9 s3cre\u0074 \ud83d\ude00") == rf"\u00e9 {BLANK} \ud83d\ude00"


def test_known_secrets_are_blanked_wherever_they_stand_the_longest_first() -> None:
    redactor = Redactor([], ["tr0ub4dor", "tr0ub4dor&3", "", "abc", "a.c+d*"])
    assert redactor.text("xtr0ub4dor&3y tr0ub4dor abc a.c+d* aXc+d*") == f"x{BLANK}y {BLANK} abc {BLANK} aXc+d*"


def test_of_known_secrets_in_addresses_the_longest_is_blanked_first_too() -> None:
    redactor = Redactor([], ["tr0ub4d r", "tr0ub4d r&3", "tr0ub4d r&3 or 4"])
    assert redactor.text("?key=tr0ub4d%20r%263+or+4&more=tr0ub4d+r%263") == f"?key={BLANK}&more={BLANK}"


KEY = 'crm 7d~?/55b0+"c2é=='


@pytest.mark.parametrize(
    "spelt",
    [
        quote(KEY), quote(KEY, safe=""), json.dumps(KEY)[1:-1], KEY.replace("/", r"\/"), quote(KEY, safe="").lower(),
        quote_plus(KEY), json.dumps(KEY, ensure_ascii=False)[1:-1], json.dumps(KEY)[1:-1].replace("+", r"\u002B"),
        *(b64encode(f"{user}:{KEY}".encode()).decode() for user in ("", "u", "us", "user")),
        urlsafe_b64encode(f">?{KEY}>>".encode()).decode(),
    ],
)  # fmt: skip
def test_known_secrets_are_blanked_however_they_are_spelt(spelt: str) -> None:
    told = Redactor([], [KEY]).text(f"GET https://crm/?key={spelt}&more")
    begin, _, end = told.partition(BLANK)
    assert begin.startswith("GET https://crm/?key=")
    assert end.endswith("&more")
    assert len(begin + end) < len("GET https://crm/?key=&more") + 12, "of base64, what stands around the secret"


PASSWORD = "S3cr3t!p*ss/w~rd(1) für+alle"


@pytest.mark.parametrize("plain", ["!*'()~", "*-._", "$&+=:@~", ";,/?:@&=+$!*'()#~", "", string.punctuation])
def test_programs_differ_in_what_they_escape_in_addresses(plain: str) -> None:
    """JavaScript's two functions, Java, Go and others."""
    redactor = Redactor([], [PASSWORD])
    for spelt in (quote(PASSWORD, safe=plain), quote_plus(PASSWORD, safe=plain)):
        for each in (spelt, re.sub("%..", lambda escape: escape[0].lower(), spelt)):
            assert redactor.text(f"?key={each}&more") == f"?key={BLANK}&more"


def test_in_forms_a_blank_is_a_plus() -> None:
    redactor = Redactor([], ["correct horse battery"])
    assert redactor.text("pass=correct+horse+battery&x=1") == f"pass={BLANK}&x=1"


@pytest.mark.parametrize("width", [20, 30, 64])
def test_base64_may_be_wrapped_and_indented(width: int) -> None:
    whole = b64encode(f"user:{PASSWORD}:more".encode()).decode()
    lines = "\n    ".join(whole[at : at + width] for at in range(0, len(whole), width))
    told = Redactor([], [PASSWORD]).text(f"auth: |\n    {lines}\nand on")
    assert BLANK in told
    assert (told[:8], told[-7:]) == ("auth: |\n", "\nand on")


def test_any_letter_of_a_secret_may_be_an_escape_of_json() -> None:
    redactor = Redactor([], ["Geheimnis-für-😀-alle"])
    for spelt in (r"Geheimnis-f\u00FCr-\uD83D\ude00-alle", r"\u0047eheimnis-für-\ud83d\uDE00-\u0061lle"):
        assert redactor.text(f'pw: {{"pw": "{spelt}"}}') == f'pw: {{"pw": "{BLANK}"}}'
    assert Redactor([], ['pa"s/s\\word']).text(r'pw: "pa\u0022s\/s\\word" é') == f'pw: "{BLANK}" é'
    assert redactor.text(r"\ud83d a \u00FC") == r"\ud83d a \u00FC"
    assert redactor.text(r"a\u000a Geheimnis-f\u00FCr-😀-alle") == rf"a\u000a {BLANK}"


@given(st.text(min_size=SHORTEST), st.text(min_size=30), st.sampled_from(["\n", "\r\n"]))
def test_in_base64_with_line_ends_a_secret_is_found_too(secret: str, before: str, end: str) -> None:
    whole = end.join(encodebytes(f"{before}{secret}{before}".encode()).decode().splitlines())
    assert BLANK in Redactor([], [secret]).text(whole)


@given(st.text(min_size=SHORTEST), st.text(), st.text())
@example("???????", "", "")  # in its base64 are letters of which each alphabet has its own
@example(">>>>>>>", "", "")
def test_in_base64_a_secret_is_found_wherever_it_stands(secret: str, before: str, after: str) -> None:
    for encode in (b64encode, urlsafe_b64encode):
        whole = encode(f"{before}{secret}{after}".encode()).decode()
        assert BLANK in Redactor([], [secret]).text(whole)


def test_a_redactor_that_knows_more_leaves_the_first_one_as_it_is() -> None:
    redactor = Redactor(["sk-[a-z]+", 'pin":'], ["s3cret"])
    more = redactor.knowing(["tr0ub4dor"])
    assert more.text("s3cret sk-abc tr0ub4dor") == f"{BLANK} {BLANK} {BLANK}"
    assert more.data({"pin": "1"}) == redactor.data({"pin": "1"}) != {"pin": "1"}
    assert redactor.text("tr0ub4dor") == "tr0ub4dor"


def test_a_secret_that_is_learned_later_is_blanked_from_then_on() -> None:
    redactor = Redactor(["sk-[a-z]+"], ["s3cret"])
    assert redactor.text("s3cret sk-abc tr0ub4dor") == f"{BLANK} {BLANK} tr0ub4dor"
    redactor.learn(["tr0ub4dor", "short"])
    assert redactor.text("s3cret sk-abc tr0ub4dor short") == f"{BLANK} {BLANK} {BLANK} short"


def test_data_is_blanked_in_depth_keys_included() -> None:
    redactor = Redactor(["s3cret"])
    data = {"a s3cret": [("s3cret", 1, None, True)], "deep": {"er": {"est": "my s3cret!"}}}
    shown = {f"a {BLANK}": [[BLANK, 1, None, True]], "deep": {"er": {"est": f"my {BLANK}!"}}}
    assert redactor.data(data) == shown


def test_a_pattern_sees_key_and_value_together() -> None:
    data = {"arguments": {"password": "hunter22", "pin": 1234, "attempts": 3}, "Password": 123456, "hasPassword": True}
    assert DEFAULT.data(data) == {
        "arguments": {"password": BLANK, "pin": 1234, "attempts": 3}, "Password": BLANK, "hasPassword": True,
    }
    assert DEFAULT.data(DEFAULT.data(data)) == DEFAULT.data(data)


def test_a_row_keeps_its_columns_and_what_is_json_stays_json() -> None:
    redactor = Redactor(["token.*", "content"])
    row = {
        "content": "my content: token 123", "events": json.dumps([{"call": "token 123", "more": [1, 2]}]),
        "quoted": '"token 1"', "turn": 3, "at": None, "examples": ("token 1", "none"), "untouched": '{"a":1}',
        "broken": "{token",
    }
    shown = redactor.row(row)
    assert list(shown) == list(row)
    assert json.loads(shown["events"]) == [{"call": BLANK, "more": [1, 2]}]
    assert (shown["content"], shown["quoted"], shown["broken"]) == (f"my {BLANK}: {BLANK}", f'"{BLANK}"', f"{{{BLANK}")
    assert (shown["turn"], shown["at"], shown["examples"]) == (3, None, [BLANK, "none"])
    assert shown["untouched"] == '{"a":1}', "as it was written"


def test_a_key_that_is_a_word_leaves_our_own_words_alone_and_blanks_all_others() -> None:
    redactor = Redactor([], ["reminder", "session", "202611"])
    entry = {
        "trial": "reminder-withheld-1", "kind": "session", "at": "2026-11-22T12:00:00.202611Z", "detail": "a reminder",
        "turn": {"speaker": "session", "content": "my reminder", "events": [{"reminder": "session", "kind": "x"}]},
        "observations": [{"assertion": "reminder", "result": {"kind": "reminder"}}],
    }
    assert redactor.row(entry) == entry | {
        "detail": f"a {BLANK}",
        "turn": {"speaker": "session", "content": f"my {BLANK}", "events": [{BLANK: BLANK, "kind": "x"}]},
        "observations": [{"assertion": "reminder", "result": {"kind": BLANK}}],
    }


def test_a_key_that_is_a_word_leaves_the_fields_of_our_own_json_alone() -> None:
    own, other = '{"feedback": ["my feedback"], "name": "feedback"}', '{"feedback": 1, "id": "feedback"}'
    row = {"metrics": own, "content": other}
    assert Redactor([], ["feedback"]).row(row) == {
        "metrics": f'{{"feedback": ["my {BLANK}"], "name": "feedback"}}',
        "content": f'{{"{BLANK}": 1, "id": "{BLANK}"}}',
    }


@pytest.mark.parametrize("written", ["my {}", '{{"name": "{}"', "[" * 100_000 + "{}"])
def test_what_was_to_be_json_of_our_own_and_is_none_is_redacted_as_text(written: str) -> None:
    shown = Redactor([], ["feedback"]).row({"metrics": written.format("feedback")})
    assert shown == {"metrics": written.format(BLANK)}


def test_a_key_of_five_letters_is_a_word_and_none_of_six() -> None:
    assert Redactor([], ["agent", "s3cret"]).text("the agent has an s3cret") == f"the agent has an {BLANK}"


@pytest.mark.parametrize("levels", [200, 330, 400, 600, 900, 100_000])
def test_absurdly_nested_text_is_redacted_as_text(levels: int) -> None:
    text = "[" * levels + '"token"' + "]" * levels
    for redacted in (Redactor(["token"]), Redactor(["other"])):
        assert redacted.row({"content": text}) == {"content": redacted.text(text)}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, st.sampled_from(["", "x", '"', "]"]))
def test_nothing_to_blank_nothing_changes_and_json_is_always_json(data: Any, pattern: str) -> None:
    assert DEFAULT.data(data) == data
    text = json.dumps(data)
    assert DEFAULT.row({"events": text}) == {"events": text}
    if pattern and isinstance(data, dict | list):
        json.loads(Redactor([pattern]).row({"events": text})["events"])
