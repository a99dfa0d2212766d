import asyncio
import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.chat import ChatRequest, ModelFailure, charged
from stoic_assets.core.endpoint_limits import Limits, ModelLimit
from stoic_assets.core.errors import AttemptFailed, ConfigurationError, ServiceUnreachable

KEY = "sk-meditations-12345678"
FAST = ModelLimit(attempts=3, backoff_seconds=0.001, longest_wait_seconds=0.01, timeout_seconds=5.0)
REQUEST = ChatRequest("judge", "sage", ({"role": "user", "content": "Judge."},), 0.0)


def completion(content: Any = "Salve", **message: Any) -> dict[str, Any]:
    return {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": content, **message}}]}


GREETED = JSONResponse(completion())


def text_from(url: str, limit: ModelLimit = FAST) -> str:
    return asyncio.run(OpenAiModel(ModelServer(url, KEY), Limits(judge=limit), {}).complete(REQUEST)).text


def refusal(service: Any, kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        text_from(service.url)
    assert KEY not in str(caught.value)
    return str(caught.value)


GEMINI = [{"error": {"code": 404, "message": "models/sage is not found for API version v1main", "status": "NOT_FOUND"}}]


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (404, GEMINI, ConfigurationError, "model 'sage' (Error code: 404 - models/sage is not found for API version"),
        (422, {"error": "inputs must be <= 4096", "error_type": "x"}, ModelFailure, "422 - inputs must be <= 4096"),
        (400, {"detail": "Not loaded"}, ModelFailure, "Error code: 400 - Not loaded"),
        (400, {"message": "too long"}, ModelFailure, "Error code: 400 - too long"),
        (
            400, {"error": {"message": "Provider returned error", "metadata": {"raw": f"too long {KEY}"}}},
            ModelFailure, "Error code: 400 - Provider returned error too long [redacted]",
        ),
        (429, [{"error": {"code": 429, "message": "Too many"}}], ModelFailure, "busy: Error code: 429 - Too many"),
    ],
)
def test_the_words_of_an_error_are_quoted_in_whatever_form_they_come(
    service: Any, status: int, body: Any, kind: type[Exception], said: str
) -> None:
    refused = JSONResponse(body, status)
    service.answers = [lambda seen: refused if seen.body["messages"] == [*REQUEST.messages] else GREETED]
    assert said in refusal(service, kind)


def test_an_error_that_is_plain_text_is_quoted(service: Any) -> None:
    service.answers = [Response("upstream connect error", 500)]
    assert refusal(service, ModelFailure).endswith("Error code: 500 - upstream connect error")


@pytest.mark.parametrize("status", [500, 503, 408, 409])
def test_passing_faults_are_tried_again(service: Any, status: int) -> None:
    service.answers = [JSONResponse({}, status), JSONResponse({}, status), JSONResponse(completion())]
    assert text_from(service.url) == "Salve"
    assert len(service.seen) == 3


def test_faults_that_stay_end_in_a_model_failure(service: Any) -> None:
    service.replies({"error": {"message": f"out of memory {KEY}"}}, status=500)
    assert "out of memory [redacted]" in refusal(service, ModelFailure)
    assert len(service.seen) == 3


@pytest.mark.parametrize("status", [200, 500])
def test_a_small_reply_that_unpacks_to_a_large_one_is_cut_off_and_not_asked_for_again(
    service: Any, status: int
) -> None:
    packed = gzip.compress(b" " * 9 * 1024 * 1024)
    service.answers = [Response(packed, status, {"content-encoding": "gzip"})]
    assert refusal(service, ModelFailure).endswith(f"the model server at {service.url} sends more than 8 MiB")
    assert len(service.seen) == 1


@pytest.mark.parametrize(
    ("status", "error", "advice"),
    [
        (
            401, {"message": f"OpenAIException - Incorrect API key: {KEY}"},
            "refuses the key: Error code: 401 - OpenAIException - Incorrect API key: [redacted]; check OPENAI_API_KEY",
        ),
        (400, {"message": "No connected db.", "type": "no_db_connection", "code": "400"}, "check OPENAI_API_KEY"),
        (400, {"message": "You passed in model=sage. There are no healthy deployments for this model"}, "JUDGE_MODEL"),
        (404, {"message": "The model `sage` does not exist", "code": "model_not_found"}, "STOIC_JUDGE_MODEL"),
        (404, {}, "OPENAI_BASE_URL"),
        (400, {"message": "The model 'sage' does not exist"}, "STOIC_EVALUATOR_MODEL"),
        (400, {"message": "invalid model ID", "code": "model_not_found"}, "STOIC_JUDGE_MODEL"),
        (403, {"message": "No access to model `sage`", "code": "model_not_found"}, "STOIC_JUDGE_MODEL"),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}, "credit"),
        (429, {"message": "litellm.RateLimitError", "type": "insufficient_quota", "code": "429"}, "credit"),
        (402, {"message": "Insufficient Balance"}, "no credit left: Error code: 402 - Insufficient Balance; check"),
        (400, {"message": "Your credit balance is too low to access the API"}, "credit left: Error code: 400 - Your"),
        (400, {"message": "Credit limit exceeded, please see your billing"}, "no credit left"),
        (400, "Incorrect API key provided: xa***90.", "refuses the key: Error code: 400 - Incorrect API key provided"),
        (400, {"message": "API key not valid."}, "check OPENAI_API_KEY"),
        (400, {"message": "API key expired. Please renew."}, "check OPENAI_API_KEY"),
        (400, {"message": "Missing or invalid Authorization header."}, "check OPENAI_API_KEY"),
        (400, {"message": "no", "details": [{"reason": "API_KEY_INVALID"}]}, "check OPENAI_API_KEY"),
        (400, {"message": "Budget has been exceeded!", "type": "budget_exceeded", "code": "400"}, "credit"),
    ],
)
def test_what_no_retry_mends_is_a_configuration_error(service: Any, status: int, error: Any, advice: str) -> None:
    service.replies({"error": error}, status=status)
    assert advice in refusal(service, ConfigurationError)
    assert len(service.seen) == 1


def test_a_model_that_is_not_found_for_a_moment_is_asked_again(service: Any) -> None:
    loading = JSONResponse({"error": {"message": "model 'sage' not found on this node yet"}}, 503)
    service.answers = [loading, JSONResponse(completion())]
    assert text_from(service.url) == "Salve"


def turning_away(service: Any, words: tuple[str, ...], status: int, said: str = "not you") -> None:
    """The service answers, unless it is asked with one of these words."""

    def answer(seen: Any) -> Response:
        away = seen.body["messages"][0]["content"] in words
        return JSONResponse({"error": {"message": said}}, status) if away else JSONResponse(completion())

    service.answers = [answer]


@pytest.mark.parametrize("status", [403, 429, 502, 503])
def test_a_message_that_is_turned_away_is_no_fault_of_the_server(service: Any, status: int) -> None:
    turning_away(service, ("Judge.",), status)
    assert refusal(service, ModelFailure).endswith("not you")
    assert service.seen[-1].body["messages"] == [{"role": "user", "content": "Hello"}]


def test_a_server_that_fails_over_a_greeting_does_not_turn_everybody_away(service: Any) -> None:
    service.answers = [JSONResponse({"error": {"message": "not you"}}, 403), JSONResponse({}, 500)]
    assert "not you" in refusal(service, ModelFailure)


@pytest.mark.parametrize("status", [502, 503, 521])
def test_a_server_that_turns_everybody_away_ends_the_run(service: Any, status: int) -> None:
    turning_away(service, ("Judge.", "Hello"), status, "loading the model")
    line = refusal(service, ServiceUnreachable)
    assert "loading the model; get it running again" in line
    assert len(service.seen) == 6


def test_a_key_that_opens_nothing_is_a_wrong_one(service: Any) -> None:
    turning_away(service, ("Judge.", "Hello"), 403, f"{KEY} may not do this")
    line = refusal(service, ConfigurationError)
    assert "refuses the key: Error code: 403 - [redacted] may not do this; check OPENAI_API_KEY" in line
    assert len(service.seen) == 2


def test_a_server_that_dies_in_the_midst_of_a_request_ends_the_run_too(service: Any) -> None:
    service.answers = [Response(b'{"choices"', headers={"content-length": "1000"}), JSONResponse({}, 503)]
    assert "503" in refusal(service, ServiceUnreachable)


@pytest.mark.parametrize("status", [429, 529])
def test_a_busy_server_is_waited_for_longer_than_a_failing_one(service: Any, status: int) -> None:
    service.answers = [JSONResponse({"error": {"message": "overloaded"}}, status)] * 8 + [JSONResponse(completion())]
    assert text_from(service.url) == "Salve"


def test_a_server_that_asks_for_payment_later_is_busy(service: Any) -> None:
    unpaid = JSONResponse({"error": {"message": "In-flight spending budget reached"}}, 402, {"Retry-After": "0"})
    service.answers = [*[unpaid] * 8, JSONResponse(completion())]
    assert text_from(service.url) == "Salve"


def test_a_request_that_is_larger_than_what_the_account_has_in_a_minute_is_not_repeated(service: Any) -> None:
    too_large = "Request too large for sage: Limit 30000, Requested 35221. The tokens must be reduced."
    service.replies({"error": {"message": too_large, "code": "rate_limit_exceeded"}}, status=429)
    assert too_large in refusal(service, ModelFailure)
    assert len(service.seen) == 1


@pytest.mark.parametrize("status", [429, 529])
def test_nothing_but_refusals_ends_the_run_and_says_why(service: Any, status: int) -> None:
    turning_away(service, ("Judge.", "Hello"), status, "Daily limit reached. Try again in 5h32m.")
    limit = FAST.model_copy(update={"attempts": 50, "longest_wait_seconds": 0.05, "longest_refusal_seconds": 0.2})
    with pytest.raises(ServiceUnreachable, match=f"is busy: Error code: {status} - Daily limit reached"):
        text_from(service.url, limit)
    assert len(service.seen) < 50


def test_a_redirect_is_not_followed_since_it_would_carry_the_key_elsewhere(service: Any) -> None:
    service.answers = [Response(status_code=307, headers={"location": f"https://models.example/?key={KEY}"})]
    advice = refusal(service, ConfigurationError)
    assert "redirects to https://models.example/ (307); set OPENAI_BASE_URL to where it leads" in advice
    assert len(service.seen) == 1


def test_a_redirect_of_the_endpoint_itself_tells_the_address_to_set(service: Any) -> None:
    service.answers = [Response(status_code=308, headers={"location": "/new/v1/chat/completions"})]
    assert refusal(service, ConfigurationError).endswith(f"(308); set OPENAI_BASE_URL to {service.url}/new/v1")


def test_a_proxy_that_refuses_us_is_named_and_its_password_is_not(refusing_proxy: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^the proxy before .* \(407\); check .* HTTPS_PROXY") as caught:
        text_from("https://models.example/v1")
    assert refusing_proxy not in str(caught.value)


def test_a_proxy_for_plain_http_refuses_us_with_a_reply(service: Any) -> None:
    service.replies({}, status=407)
    assert "the proxy before the model server" in refusal(service, ConfigurationError)


def test_a_connection_that_breaks_off_is_tried_again(service: Any) -> None:
    torn = Response(b'{"choices"', headers={"content-length": "1000"})
    service.answers = [torn, JSONResponse(completion())]
    assert text_from(service.url) == "Salve"
    assert len(service.seen) == 2


def test_a_request_that_is_refused_is_not_repeated(service: Any) -> None:
    service.replies({"error": {"message": "context length exceeded"}}, status=400)
    assert "context length exceeded" in refusal(service, ModelFailure)
    assert len(service.seen) == 1


def test_a_refusal_is_a_failure_that_is_not_paid_twice(service: Any) -> None:
    service.replies(completion(None, refusal="I cannot help\x1b[0m"))
    assert "refuses: I cannot help [0m" in refusal(service, ModelFailure)
    assert len(service.seen) == 1


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b'"Salve"', b"null", b'{"choices": []}', b'{"choices": [{}]}', b'{"choices": "x"}',
             b'{"error": {"message": "overloaded"}}', b"{", b""],
)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
def test_rubbish_is_tried_again_and_then_a_failure(service: Any, body: bytes, kind: str) -> None:
    service.answers = [Response(body, media_type=kind)]
    refusal(service, ModelFailure)
    assert len(service.seen) == 3


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        ({"message": "Insufficient funds", "code": 402}, ConfigurationError, "no credit left: 402 in an answer of"),
        ({"message": "Provider returned error", "code": "502"}, ServiceUnreachable, "Provider returned error; get it"),
        ({"message": "prompt too long", "code": 400}, ModelFailure, "prompt too long"),
        ({"message": "overloaded", "code": [9]}, ModelFailure, "overloaded"),
        ({"message": "prompt too long", "code": 400, "type": 400}, ModelFailure, "prompt too long"),
        ("session expired", ModelFailure, "session expired"),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        lambda error: {"error": error},
        lambda error: {"error": error, "choices": [{"message": {"content": "Sal"}}]},
        lambda error: {"choices": [{"finish_reason": "error", "message": {"content": "Sal"}, "error": error}]},
    ],
)
def test_an_error_in_an_answer_of_status_200_is_that_error(
    service: Any, error: Any, kind: type[Exception], said: str, form: Callable[[Any], Any]
) -> None:
    service.replies(form(error))
    assert said in refusal(service, kind)


def test_an_answer_that_broke_off_is_paid_for_and_says_nothing_about_the_form(service: Any) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 200}
    error = {"code": 400, "message": "upstream closed"}
    broken = {"choices": [{"finish_reason": "error", "message": {"content": "Sal"}, "error": error}], "usage": usage}
    service.replies(broken)
    with pytest.raises(ModelFailure, match="upstream closed") as caught:
        text_from(service.url)
    assert charged(caught.value).prompt_tokens == 1000 * len(service.seen)
    assert len(service.seen) == FAST.attempts, "no other form was asked for"


def test_a_choice_that_the_provider_was_too_busy_for_is_waited_for(service: Any) -> None:
    error = {"code": 429, "message": "rate-limited upstream"}
    busy = {"choices": [{"finish_reason": "error", "message": {"content": ""}, "error": error}]}
    service.answers = [*[JSONResponse(busy)] * 8, JSONResponse(completion())]
    assert text_from(service.url) == "Salve"


def test_a_reply_that_ends_with_an_error_before_its_first_word_is_asked_for_again(service: Any) -> None:
    service.replies({"choices": [{"finish_reason": "error", "message": {"role": "assistant", "content": ""}}]})
    assert refusal(service, ModelFailure).endswith("200 - the reply is empty (finish_reason error)")
    assert len(service.seen) == 3
    service.replies({"choices": [{"finish_reason": "error", "message": {"content": "Sal"}}]})
    assert text_from(service.url) == "Sal"


def test_what_came_instead_of_json_is_quoted(service: Any) -> None:
    page, greeting = Response("<html>Sign in</html>"), JSONResponse(completion())
    service.answers = [lambda seen: page if seen.body["messages"][0]["content"] == "Judge." else greeting]
    assert refusal(service, ModelFailure).endswith("did not answer with JSON: <html>Sign in</html>")


@pytest.mark.parametrize(
    "start",
    [
        'data: {"id": "c"}', "event: message", ": OPENROUTER PROCESSING", ":", "id: 1\ndata: {}", "retry: 3000",
        "\n\ndata: {}",
    ],
)  # fmt: skip
def test_a_stream_is_named_as_one_and_not_paid_for_again(service: Any, start: str) -> None:
    service.answers = [Response(f"{start}\n\ndata: [DONE]\n\n", media_type="text/event-stream")]
    assert "streams its answer; choose a model or server that answers in one piece" in refusal(service, ModelFailure)
    assert [call.body["stream"] for call in service.seen] == [False]


@pytest.mark.parametrize(
    "answer",
    [
        {"choices": None, "usage": {"total_tokens": 0}, "base_resp": {"status_msg": f"insufficient balance {KEY}"}},
        {"code": "Throttling", "message": f"insufficient balance {KEY}"},
    ],
)
def test_an_answer_of_status_200_without_a_choice_is_quoted_as_the_error_that_it_is(service: Any, answer: Any) -> None:
    service.replies(answer)
    assert "insufficient balance [redacted]" in refusal(service, ModelFailure)


def test_a_web_page_for_everybody_ends_the_run(service: Any) -> None:
    service.answers = [Response("\n<html>Sign in</html>")]
    assert "<html>Sign in</html>; get it running again" in refusal(service, ServiceUnreachable)


def test_nobody_there(dead_url: str) -> None:
    with pytest.raises(ServiceUnreachable, match="cannot be reached"):
        text_from(dead_url)


def test_a_certificate_that_is_not_trusted_names_the_way_out(
    service: Any, certified: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, certificate = certified
    service.replies(completion())
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(ConfigurationError, match=r"not trusted: .*certificate.*; if it is right, set SSL_CERT_FILE to"):
        text_from(url)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert text_from(url) == "Salve"


def test_https_where_plain_http_is_spoken_says_so(service: Any) -> None:
    with pytest.raises(ServiceUnreachable, match=r"cannot be reached: .*SSL"):
        text_from(service.url.replace("http:", "https:"))


@pytest.mark.parametrize("role", ["judge", "evaluator"])
def test_an_answer_that_is_too_slow_says_how_long_it_may_take_and_where_that_is_set(service: Any, role: Any) -> None:
    async def slow(_: Any) -> Response:
        await asyncio.sleep(0.3)
        return JSONResponse(completion())

    service.answers = [slow]
    limit = ModelLimit(attempts=2, backoff_seconds=0.001, timeout_seconds=0.05)
    model = OpenAiModel(ModelServer(service.url, KEY), Limits(**{role: limit}), {})
    why = rf"{service.url} gave no answer within 0\.05 s; raise limits\.{role}\.timeout_seconds in stoic\.yml$"
    with pytest.raises(ModelFailure, match=why) as caught:
        asyncio.run(model.complete(replace(REQUEST, role=role)))
    assert len(service.seen) == 2
    cause = caught.value.__context__
    assert isinstance(cause, AttemptFailed)
    assert cause.late, "all requests slow down"


@pytest.mark.parametrize(("status", "late"), [(408, True), (504, True), (524, True), (500, False)])
def test_a_time_out_that_the_server_tells_of_is_one_too(service: Any, status: int, late: bool) -> None:
    service.replies({}, status=status)
    with pytest.raises(ModelFailure) as caught:
        text_from(service.url)
    cause = caught.value.__context__
    assert isinstance(cause, AttemptFailed)
    assert cause.late is late
