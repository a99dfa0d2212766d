import json
from typing import Any

import pytest

from stoic_assets.adapters.http.error_words import ForeignError, hidden_error, read_error

EXTRA = {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": "secret"}


def in_answer(body: Any) -> ForeignError:
    return read_error(422, {}, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "too long"}}, "too long"),
        ([{"error": {"code": 404, "message": "models/zeno is not found"}}], "models/zeno is not found"),
        ({"code": "x", "error": "Incorrect API key"}, "Incorrect API key"),
        ({"object": "error", "message": "too long", "detail": "more"}, "too long"),
        ({"error": {"detail": "Not loaded"}}, "Not loaded"),
        ({"detail": "Not loaded"}, "Not loaded"),
        ({"Message": "bad thing"}, "bad thing"),
        ({"statusCode": 400, "message": ["property user"], "error": "Bad Request"}, '["property user"]'),
        ({"error": True, "message": "too long"}, "too long"),
        ({"detail": [EXTRA, EXTRA]}, "; ".join(["body.seed: Extra inputs are not permitted"] * 2)),
        ({"message": {"detail": [EXTRA]}, "type": "x"}, "body.seed: Extra inputs are not permitted"),
        ({"detail": [EXTRA, "more"]}, json.dumps([EXTRA, "more"])),
        ({"detail": {"why": "late"}}, '{"why": "late"}'),
        ({"error": {"message": "", "code": 7}}, '{"message": "", "code": 7}'),
        (
            {"error": {"message": "Provider returned error", "metadata": {"raw": '{"message":"too long"}'}}},
            'Provider returned error {"message":"too long"}',
        ),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": {"a": 1}}}},
         'Provider returned error {"a": 1}'),
        ({"error": {"message": "no", "metadata": "none"}}, "no"),
        ({"base_resp": {"status": 1}}, '{"base_resp": {"status": 1}}'),
        ({"error": "invalid_token", "error_description": "over"}, "over"),
        (" no ", "no"), ({}, ""), ({"error": {}}, ""), (None, ""), ([], ""), ([{}, "x"], '[{}, "x"]'),
    ],
)  # fmt: skip
def test_the_words_of_an_error_are_found_in_every_form(body: Any, words: str) -> None:
    assert in_answer(body).words == words


@pytest.mark.parametrize(
    ("answer", "words"),
    [(b"upstream connect error\n", "upstream connect error"), (b"", ""), (b"\xff", "\ufffd"),
     (b"\n<html><STYLE>p {}</style><!-- <p>x --><h1>Not&nbsp;here</h1> 1 &lt; 2<script>var", "Not here 1 < 2"),
     (b"[" * 400, "[" * 400), (b"[" + b"{}," * 10**5 + b"{}]", "[" + "{}," * 10**5 + "{}]")],
    ids=["text", "empty", "not Unicode", "web page", "deep", "long"],
)  # fmt: skip
def test_an_error_that_cannot_be_read_as_json_is_its_own_words(answer: bytes, words: str) -> None:
    assert read_error(500, {}, answer) == ForeignError(500, words)


def test_an_error_is_known_by_its_code_its_type_and_its_reasons() -> None:
    details = [{"reason": "API_KEY_INVALID"}, {"reason": ["x"]}, "y"]
    error = {"message": "no", "code": 400, "type": "invalid", "param": "seed", "details": details}
    assert in_answer([{"error": error}]) == ForeignError(
        422, "no", frozenset({"400", "invalid", "API_KEY_INVALID"}), "seed"
    )
    place = {"message": "no", "detail": {"loc": ["body", "temperature"], "input": "0.0"}}
    assert in_answer(place).param == "body.temperature"
    assert in_answer({"detail": [EXTRA]}).param == "body.seed"
    odd = {"message": "no", "code": [1], "type": {}, "param": 3, "details": "none"}
    assert in_answer(odd) == ForeignError(422, "no")


@pytest.mark.parametrize("empty", [None, "", False, {}, {"code": 0, "message": ""}, {"code": None, "message": None}])
@pytest.mark.parametrize("real", [None, "overloaded", {"code": 502, "message": ""}])
def test_an_error_of_empty_fields_is_none(empty: Any, real: Any) -> None:
    assert hidden_error({"error": empty, "choices": [{"error": real}]}) == real
    assert hidden_error({"error": real, "choices": [{"error": empty}]}) == real
