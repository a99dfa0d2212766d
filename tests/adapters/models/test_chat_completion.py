from typing import Any

import pytest

from stoic_assets.adapters.models.chat_completion import (
    finish_reason_of,
    paid_tokens_of,
    served_model_of,
    text_of,
    tokens_of,
)
from stoic_assets.core.errors import AttemptFailed
from stoic_assets.core.secrets.redaction import Redactor


def completion(**message: Any) -> dict[str, Any]:
    return {"choices": [{"finish_reason": "stop", "message": message}], "usage": {"prompt_tokens": 7}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Salve", "Salve"),
        (None, ""),
        ("<think>The user is sad.</think>\n\nSalve<|im_end|>", "Salve"),
        ("Salve \ud83d", "Salve \ufffd"),
        ([{"type": "text", "text": "Sal"}, {"type": "text", "text": "ve"}], "Salve"),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}, {"text": "Salve"}], "Salve"),
        ([{"type": "reasoning", "text": "Hm"}, {"type": "text", "text": "Salve"}], "Salve"),
        ([{"type": "output_text", "text": "Salve"}], "Salve"),
    ],
)
def test_the_text_of_a_reply_is_what_the_model_said_aloud(content: Any, text: str) -> None:
    assert text_of(completion(content=content), Redactor(())) == text


@pytest.mark.parametrize("answer", [None, [], {}, {"choices": []}, {"choices": {}}, {"choices": [{"message": None}]}])
def test_what_is_no_completion_is_tried_again(answer: Any) -> None:
    with pytest.raises(AttemptFailed, match="not a chat completion") as failure:
        text_of(answer, Redactor(()))
    assert not failure.value.final
    assert (finish_reason_of(answer, Redactor(())), tokens_of(answer, "prompt_tokens")) == ("", None)


@pytest.mark.parametrize(
    "message", [{"refusal": "No."}, {"content": [1]}, {"content": []}, {"content": {"text": "x"}}, {"content": 7}]
)
def test_refusals_and_other_contents_are_final(message: dict[str, Any]) -> None:
    with pytest.raises(AttemptFailed) as failure:
        text_of(completion(**message), Redactor(()))
    assert failure.value.final


def test_what_is_quoted_of_an_answer_holds_no_secret_that_it_repeats() -> None:
    """The text alone may: it is for those who asked, who blank it themselves."""
    secrets = Redactor((), ["tr0ub4dor"])
    answer = {"model": "sage tr0ub4dor", "choices": [{"finish_reason": "no tr0ub4dor", "message": {}}]}
    assert finish_reason_of(answer, secrets) == "no [redacted]"
    assert served_model_of(answer, secrets) == "sage [redacted]"
    with pytest.raises(AttemptFailed, match=r"^the model refuses: no \[redacted\]$"):
        text_of(completion(refusal="no tr0ub4dor"), secrets)


def test_counts_and_the_reason_of_the_end_are_read() -> None:
    answer = completion(content="Salve")
    assert (tokens_of(answer, "prompt_tokens"), tokens_of(answer, "completion_tokens")) == (7, None)
    assert finish_reason_of(answer, Redactor(())) == "stop"


@pytest.mark.parametrize("count", [None, "1000", 100.0, -1, True, 10**30, {}])
def test_a_count_that_cannot_be_is_unknown(count: Any) -> None:
    assert tokens_of({"usage": {"prompt_tokens": count}}, "prompt_tokens") is None
    assert tokens_of({"usage": {"prompt_tokens": 0}}, "prompt_tokens") == 0


@pytest.mark.parametrize(
    ("said", "paid"),
    [
        ({"prompt_tokens": 14, "completion_tokens": 2, "total_tokens": 331}, 317),  # xAI, with 315 tokens of thoughts
        ({"prompt_tokens": 21, "total_tokens": 81}, 60),  # Gemini, when the thoughts used up all tokens
        ({"prompt_tokens": 14, "completion_tokens": 90, "total_tokens": 104}, 90),  # OpenAI: they are part of the reply
        ({"prompt_tokens": 14, "completion_tokens": 90, "total_tokens": 14}, 90),
        ({"prompt_tokens": 14, "total_tokens": 14}, 0),
        ({"prompt_tokens": 14, "completion_tokens": 90, "total_tokens": 3}, 90),
        ({"prompt_tokens": 14, "completion_tokens": 90, "total_tokens": "104"}, 90),
        ({"completion_tokens": 90, "total_tokens": 331}, 90),
        ({"total_tokens": 331}, None), ({"prompt_tokens": 14}, None), ({"prompt_tokens": 14, "total_tokens": 3}, None),
    ],
)  # fmt: skip
def test_thoughts_that_only_the_total_counts_are_paid_as_output(said: dict[str, Any], paid: int | None) -> None:
    assert paid_tokens_of({"usage": said}) == (said.get("prompt_tokens"), paid)


@pytest.mark.parametrize(
    ("said", "paid"),
    [
        ({"total_tokens": 10923, "cache_read_input_tokens": 10536, "cache_creation_input_tokens": 0}, (10904, 19)),
        ({"total_tokens": 1387, "cache_read_input_tokens": 600, "cache_creation_input_tokens": 400}, (1368, 19)),
        ({"total_tokens": 1387, "cache_read_input_tokens": 1000}, (1368, 19)),
        ({"total_tokens": 587, "cache_read_input_tokens": 200}, (568, 19)),
        ({"total_tokens": 387, "cache_read_input_tokens": 300}, (368, 19)),  # a part of the prompt
        ({"total_tokens": 387, "prompt_tokens_details": {"cached_tokens": 368}}, (368, 19)),  # all of it
        ({"total_tokens": 687, "cache_read_input_tokens": 100}, (368, 319)),  # a part of it, besides thoughts
        ({"total_tokens": 1387, "prompt_tokens_details": {"cached_tokens": 1000}}, (1368, 19)),
        ({"cache_read_input_tokens": 1000}, (1368, 19)),
        ({"cache_read_input_tokens": 600, "cache_creation_input_tokens": 400}, (1368, 19)),
        # What was read is a part of the prompt, what was written is not, or it is not known.
        ({"total_tokens": 387, "cache_read_input_tokens": 300, "cache_creation_input_tokens": 400}, (768, 19)),
        ({"total_tokens": 387, "cache_read_input_tokens": 300, "cache_creation_input_tokens": 100}, (368, 19)),
        ({"total_tokens": 387, "cache_read_input_tokens": 1000}, (1368, 19)),
        ({"total_tokens": 1487, "cache_read_input_tokens": 1000}, (1368, 119)),  # besides thoughts
        ({"total_tokens": 387, "prompt_tokens_details": {"cached_tokens": 1000}}, (1368, 19)),
        ({"prompt_tokens_details": {"cached_tokens": 1000}}, (1368, 19)),
        ({"total_tokens": 687, "prompt_tokens_details": {"cached_tokens": 300}}, (368, 319)),
        ({"total_tokens": 687, "prompt_tokens_details": [300], "cache_read_input_tokens": "300"}, (368, 319)),
    ],
)
def test_what_a_cache_holds_is_paid_as_input_though_the_count_of_the_prompt_leaves_it_out(
    said: dict[str, Any], paid: tuple[int, int]
) -> None:
    assert paid_tokens_of({"usage": {"prompt_tokens": 368, "completion_tokens": 19, **said}}) == paid
