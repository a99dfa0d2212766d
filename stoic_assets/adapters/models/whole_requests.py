"""Whether a server read a request as a whole: some cut a long one without a word, and answer as if it were complete.

Ollama leaves half of its context, 4,096 tokens by default, and reports what it read; gateways may leave out the middle.
"""

import re

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.core.chat import ChatRequest
from stoic_assets.core.errors import AttemptFailed

SHORT = 8_000
"""Characters of a request that is not looked at."""
CHARACTERS_OF_A_TOKEN = 8
"""More than in any language: about 4.5 in English, 1 in Chinese."""
UNCACHED = 500
"""Tokens: fewer are no context, but what was not cached, which alone some releases of Ollama count."""
_WORD = re.compile(r"\w+")


def refuse_cut(request: ChatRequest, read: int | None, server: ModelServer) -> None:
    """Raises a final `AttemptFailed` if a server that `read` so many tokens cannot have read all of a request."""
    if read and _is_cut(request, read):
        problem = f"{server} read only {read:,} tokens of {request.characters:,} characters"
        raise AttemptFailed(f"{problem}; raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH)", final=True)


def _is_cut(request: ChatRequest, read: int) -> bool:
    """Whether there are fewer tokens than both its length and its words need.

    One token may be a long run of blanks or of one character, or a long word, but none is two words.
    """
    if request.characters <= SHORT or not UNCACHED <= read < request.characters / CHARACTERS_OF_A_TOKEN:
        return False
    return read < sum(len(_WORD.findall(message["content"])) for message in request.messages)
