"""Whether a service says that it does not know the model that a request names."""

from stoic_assets.adapters.http.error_words import ForeignError

_CODES = frozenset(
    {
        "model_not_found", "model_decommissioned", "model_not_supported", "model_not_available", "invalid_model",
        "unknown_model",
    }
)  # fmt: skip
"""Codes or types, of OpenAI, Groq, Hugging Face, Together, Mistral and GitHub."""
_WORDS = (
    "does not exist", "model not exist", "not found", "unknown model", "invalid model", "not a valid model",
    "access to model", "no healthy deployments for this", "decommissioned", "not supported by any provider",
)  # fmt: skip
"""What others say; DeepSeek and LiteLLM have no codes of their own."""


def refuses_model(status: int, error: ForeignError) -> bool:
    """Whether an HTTP answer refuses every request for the model, by the codes of its error or by its words.

    Its `param` alone does not say so: it names the model as well where that does not take some other part.
    """
    text = error.words.lower()
    named = not error.codes.isdisjoint(_CODES) or ("model" in text and any(words in text for words in _WORDS))
    return status in (400, 403, 404) and named
