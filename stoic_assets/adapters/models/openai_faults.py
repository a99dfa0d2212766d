"""What the errors of the openai package mean: another attempt, a request without some option, or the end."""

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stoic_assets.adapters.http.endpoint import closed_proxy, led_to
from stoic_assets.adapters.http.error_words import ForeignError, hidden_error, read_error, read_hidden
from stoic_assets.adapters.http.foreign_text import excerpt, instead_of_json, is_web_page, part_of
from stoic_assets.adapters.http.refusals import INVALID, PROXY_REFUSES, TIMED_OUT, TURNED_AWAY, is_final
from stoic_assets.adapters.models.chat_completion import tokens_of
from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.refused_parts import OptionRefused, refused_option
from stoic_assets.core.errors import AttemptFailed, ConfigurationError, StoicError
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.core.text.foreign_text import well_formed

if TYPE_CHECKING:
    from httpx2 import Request, Response
    from openai import APIStatusError

    from stoic_assets.adapters.http.disconnection import Disconnection

NO_CREDIT = {"insufficient_quota", "billing_not_active", "budget_exceeded", "exceeded_current_quota_error", "Arrearage"}
"""Codes or types, of OpenAI, LiteLLM, Moonshot and DashScope. Not messages: Gemini calls a limit of requests per minute
a quota too."""
_KEY_REFUSED = re.compile(
    "api key (?:not valid|not found|expired)|incorrect api key|invalid authorization header", re.IGNORECASE
)
"""Words of a 400 of Gemini and xAI."""
_NO_CREDIT = re.compile("credit balance is|credit limit exceeded", re.IGNORECASE)
"""Words of a 400 of Anthropic and Together."""
_TOO_LARGE = re.compile("request too large|must be reduced", re.IGNORECASE)
"""Words of OpenAI's 429 for a request that needs more tokens than the account has in a minute."""
STREAMED = re.compile(r"\s*(?:data|event|id|retry)?:")
"""How an answer that is streamed as events begins."""
_FORM = re.compile("schema|grammar", re.IGNORECASE)
_MESSAGES = re.compile("blocked|flagged|filtered|polic(?:y|ies)|moderation|context.length|too long", re.IGNORECASE)
KEPT_BACK = "json_validate_failed"
"""Groq's code for a model's reply that is not the requested JSON."""


class ReplyKeptBack(AttemptFailed):
    """The server found that the model's reply is not the requested JSON; `text` is what the server reports of it."""

    def __init__(self, problem: str, text: str) -> None:
        super().__init__(problem, final=True)
        self.text = text


class Faults:
    """What exceptions and answers of a `server` mean; they are quoted without `secrets`."""

    def __init__(self, server: ModelServer, secrets: Redactor) -> None:
        self._server, self._secrets = server, secrets

    def meaning(self, error: Exception, model: str, particular: bool = True) -> StoicError:
        """The `AttemptFailed` (of any kind) or `ConfigurationError` for an exception of one call.

        `particular`: no other call has the same messages, so that a 403 may be about them alone.
        """
        import aiohttp
        import openai

        from stoic_assets.adapters.http.disconnection import Disconnection

        if isinstance(error, openai.APIConnectionError) and isinstance(error.__cause__, Exception):
            error = error.__cause__  # the package wraps TLS errors in its own
        if isinstance(error, openai.APIStatusError):
            found = error_of(error.response)
            said = self.line_of(found, error.message.partition(" - ")[0])
            for_all = self._ends_run(error.response, found, said, model, particular)
            return for_all or self._failed_attempt(error, found, said)
        if isinstance(error, AttemptFailed):  # our own: the answer is too large, or too late
            return AttemptFailed(f"{self._server} {error}", late=error.late, final=error.final)
        if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
            return self._no_json(instead_of_json(error))
        if isinstance(error, aiohttp.ClientError | OSError):
            return self._unanswered(Disconnection(error, self._secrets))
        what = excerpt(f"{type(error).__name__}: {error}", self._secrets)
        return AttemptFailed(f"{self._server} gave an unreadable answer: {what}")

    def barred(self, found: ForeignError, said: str) -> ConfigurationError | None:
        """The error for an answer that keeps everybody out: a proxy's, or for a key or an account without credit."""
        status = found.status
        if status == PROXY_REFUSES:
            return closed_proxy(str(self._server))
        if found.refuses_key or (status == 400 and _KEY_REFUSED.search(found.words)):
            return self.refused_key(found, said)
        unpaid = status == 402 and not found.is_busy
        if unpaid or found.codes & NO_CREDIT or (status == 400 and _NO_CREDIT.search(found.words)):
            problem = f"{self._server} says that the account has no credit left: {said}"
            return ConfigurationError(f"{problem}; check its billing")
        return None

    def refused_key(self, found: ForeignError, said: str) -> ConfigurationError:
        """The error for a server that does not accept the key, or lets it do nothing.

        What it `said` matters behind a gateway, which answers so as well when its own key for the model is refused, and
        where it is the country or the account that is refused.
        """
        why = f": {said}" if found.words else f" ({found.status})"
        return ConfigurationError(f"{self._server} refuses the key{why}; check {self._server.key_variable}")

    def redirected(self, answer: "Response") -> ConfigurationError:
        """The error for a redirect: following it would carry the key elsewhere."""
        target = excerpt(led_to(str(answer.request.url), answer.headers.get("location", "")), self._secrets)
        problem = f"{self._server} redirects to {target or 'another address'} ({answer.status_code})"
        base = target.removesuffix("/chat/completions")
        if target.endswith("/chat/completions/"):
            return ConfigurationError(f"{problem}; have it answer at the address without the last slash")
        leads_to = base if base != target else "where it leads"
        return ConfigurationError(f"{problem}; set {self._server.url_variable} to {leads_to}")

    def line_of(self, found: ForeignError, status: str = "") -> str:
        """What an answer with an error says, as one line without `secrets`, after its `status`."""
        status = status or f"Error code: {found.status}"
        return excerpt(f"{status} - {found.words}" if found.words else status, self._secrets)

    def refuse_broken_off(self, answer: Any) -> None:
        """Raises the failure of an answer that tokens were used for, and that ends with an error."""
        if error := hidden_error(answer):
            raise AttemptFailed(f"{self._server}: {excerpt(read_hidden(error).words, self._secrets)}")

    def _unanswered(self, broken: "Disconnection") -> StoicError:
        """What it means that no answer came, or none that can be read."""
        if error_for_all := broken.closed_to_all(str(self._server)):
            return error_for_all
        if broken.is_slow:
            return AttemptFailed(f"{self._server} gave no answer in time", late=True)
        problem = f"{self._server} {broken.words}"
        if broken.no_tls:
            return ConfigurationError(f"{problem}; correct {self._server.url_variable}")
        away = broken.nobody or broken.no_http or broken.hung_up
        return AttemptFailed(problem, late=broken.late, turned_away=away)

    def _no_json(self, text: str) -> AttemptFailed:
        """The failure of an answer that is some other `text`; a web page may be what everybody is sent."""
        if STREAMED.match(text):
            problem = f"{self._server} streams its answer; choose a model or server that answers in one piece"
            return AttemptFailed(problem, final=True)
        problem = f"{self._server} did not answer with JSON: {excerpt(text, self._secrets) or 'no words'}"
        return AttemptFailed(problem, turned_away=is_web_page(text))

    def _ends_run(
        self, answer: "Response", found: ForeignError, said: str, model: str, particular: bool
    ) -> ConfigurationError | None:
        """What is wrong for every request; None where this one may be repeated, changed or left out."""
        if error_for_all := self.barred(found, said):
            return error_for_all
        if 300 <= found.status < 400:
            return self.redirected(answer)
        if found.status == 404 or found.refuses_model:
            return ConfigurationError(
                f"{self._server} does not know model {model!r} ({said}); check STOIC_EVALUATOR_MODEL (another model "
                "needs a new evaluation), STOIC_JUDGE_MODEL (another judge needs stoic regrade) and "
                f"{self._server.url_variable} (it usually ends in /v1)"
            )
        return self.refused_key(found, said) if found.status == 403 and not particular else None

    def _failed_attempt(self, error: "APIStatusError", found: ForeignError, said: str) -> AttemptFailed:
        """What is wrong for this request alone, or for the moment."""
        status, wait, problem = found.status, found.retry_after, f"{self._server}: {said}"
        if found.is_busy and not _TOO_LARGE.search(found.words):
            return AttemptFailed(f"{self._server} is busy: {said}", retry_after=wait, busy=True)
        if KEPT_BACK in found.codes:
            reply = str(part_of(error.body, "failed_generation") or "")
            return ReplyKeptBack(problem, self._secrets.text(well_formed(reply)))
        if option := refused_option(found):
            return OptionRefused(option, problem)
        late, turned_away = status in TIMED_OUT, status in TURNED_AWAY
        return AttemptFailed(problem, retry_after=wait, late=late, final=is_final(status), turned_away=turned_away)


def may_mind_form(error: Exception, meaning: StoicError) -> bool:
    """Whether an error that nothing else explains may be about the form of reply that was asked for.

    Some servers do not say so at all, and OpenRouter finds no server then (404). llama.cpp answers 500.
    """
    from openai import APIStatusError

    if not isinstance(error, APIStatusError):
        return False
    found = error_of(error.response)
    status, words = found.status, found.words
    if status == 404:
        return not found.refuses_model
    doubtful = not _MESSAGES.search(words) if status in INVALID else status == 500 and _FORM.search(words)
    return bool(doubtful) and type(meaning) is AttemptFailed


def refuse_hidden_error(answer: Mapping[str, Any], request: "Request") -> None:
    """Raises the `APIStatusError` that an answer of status 200 with an error, or without a choice, contains.

    Without `error` it is all of the answer, as some vendors have forms of their own. It does not raise if tokens were
    used: then the request was served, and its answer broke off.
    """
    from httpx2 import Response
    from openai import APIStatusError

    if tokens_of(answer, "prompt_tokens"):
        return
    if error := hidden_error(answer) or (not answer.get("choices") and answer):
        status = read_hidden(error).status
        response = Response(status, request=request, content=json.dumps({"error": error}).encode())
        raise APIStatusError(f"{status} in an answer of status 200", response=response, body=error)


def error_of(answer: "Response") -> ForeignError:
    """What an answer says: the package understands OpenAI's form alone, and loses the words of all others."""
    return read_error(answer.status_code, answer.headers, answer.content)
