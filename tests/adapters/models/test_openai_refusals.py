"""What no second attempt mends: wrong settings, keys and addresses, proxies, certificates, refusals."""

from pathlib import Path
from typing import Any

import pytest
from failing_calls import refusal, text_from, turning_away
from model_calls import KEY, completion
from starlette.responses import Response

from stoic_assets.core.calls.chat import ModelFailure
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable


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
        (400, {"message": "Model Not Exist", "type": "invalid_request_error"}, "STOIC_JUDGE_MODEL"),
        (400, {"message": "`sage` is gone", "code": "model_decommissioned"}, "STOIC_JUDGE_MODEL"),
        (400, "The requested model 'sage' is not supported by any provider you have enabled", "STOIC_JUDGE_MODEL"),
        (400, {"message": "Unable to access sage", "type": "model_not_available"}, "STOIC_JUDGE_MODEL"),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}, "credit"),
        (429, {"message": "litellm.RateLimitError", "type": "insufficient_quota", "code": "429"}, "credit"),
        (429, {"message": "Your account is not active", "code": "billing_not_active"}, "no credit left"),
        (429, {"message": "Your account is suspended", "type": "exceeded_current_quota_error"}, "no credit left"),
        (400, {"message": "Your account is not in good standing", "code": "Arrearage"}, "no credit left"),
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


def test_a_refused_key_is_one_even_if_what_the_server_says_cannot_be_read(service: Any) -> None:
    service.answers = [Response(b"no gzip at all", 401, {"Content-Encoding": "gzip"})]
    assert "refuses the key" in refusal(service, ConfigurationError)
    assert len(service.seen) == 1


def test_a_model_that_nobody_knows_is_replaced_by_other_means_than_resuming(service: Any) -> None:
    service.replies({"error": {"message": "The model `sage` does not exist"}}, status=404)
    line = refusal(service, ConfigurationError)
    assert "STOIC_EVALUATOR_MODEL (another model needs a new evaluation)" in line
    assert "STOIC_JUDGE_MODEL (another judge needs stoic regrade)" in line
    assert "`stoic " not in line, "that would hide the way on for who corrects the address"


def test_a_key_that_opens_nothing_is_a_wrong_one(service: Any) -> None:
    turning_away(service, ("Judge.", "Hello"), 403, f"{KEY} may not do this")
    line = refusal(service, ConfigurationError)
    assert "refuses the key: Error code: 403 - [redacted] may not do this; check OPENAI_API_KEY" in line
    assert len(service.seen) == 2


def test_a_redirect_is_not_followed_since_it_would_carry_the_key_elsewhere(service: Any) -> None:
    service.answers = [Response(status_code=307, headers={"location": f"https://models.example/?key={KEY}"})]
    advice = refusal(service, ConfigurationError)
    assert "redirects to https://models.example/ (307); set OPENAI_BASE_URL to where it leads" in advice
    assert len(service.seen) == 1


def test_a_redirect_of_the_endpoint_itself_tells_the_address_to_set(service: Any) -> None:
    service.answers = [Response(status_code=308, headers={"location": "/new/v1/chat/completions"})]
    assert refusal(service, ConfigurationError).endswith(f"(308); set OPENAI_BASE_URL to {service.url}/new/v1")


def test_a_redirect_to_the_same_address_with_a_slash_is_nothing_to_set(service: Any) -> None:
    service.answers = [Response(status_code=307, headers={"location": "/v1/chat/completions/"})]
    assert refusal(service, ConfigurationError).endswith("; have it answer at the address without the last slash")


def test_a_proxy_that_refuses_us_is_named_and_its_password_is_not(refusing_proxy: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^the proxy before .* \(407\); check .* HTTPS_PROXY") as caught:
        text_from("https://models.example/v1")
    assert refusing_proxy not in str(caught.value)


def test_a_server_that_a_proxy_does_not_reach_is_to_be_got_running(lost_proxy: str) -> None:
    with pytest.raises(ServiceUnreachable, match="cannot be reached: the proxy answers 502 Bad Gateway; get it"):
        text_from("https://models.example/v1")


def test_a_proxy_for_plain_http_refuses_us_with_a_reply(service: Any) -> None:
    service.replies({}, status=407)
    assert "the proxy before the model server" in refusal(service, ConfigurationError)


def test_a_request_that_is_refused_is_not_repeated(service: Any) -> None:
    service.replies({"error": {"message": "context length exceeded"}}, status=400)
    assert "context length exceeded" in refusal(service, ModelFailure)
    assert len(service.seen) == 1


def test_a_refusal_is_a_failure_that_is_not_paid_twice(service: Any) -> None:
    service.replies(completion(None, refusal="I cannot help\x1b[0m"))
    assert "refuses: I cannot help [0m" in refusal(service, ModelFailure)
    assert len(service.seen) == 1


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
    with pytest.raises(ConfigurationError, match=r"speaks no TLS \(is it http://\?\); correct OPENAI_BASE_URL"):
        text_from(service.url.replace("http:", "https:"))
