"""Whether a server read a request as a whole: some cut a long one without a word, and answer as if it were complete.

Ollama leaves half of its context, 4,096 tokens by default, and reports what it read; gateways may leave out the middle.
"""

import logging
import re

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.core.calls.chat import ChatRequest

SHORT = 8_000
"""Characters of a request that is not looked at."""
MOST_CHARACTERS_OF_A_TOKEN = 8
"""More than in any language: about 4.5 in English, 1 in Chinese."""
UNCACHED = 500
"""Tokens: fewer are no context, but what was not cached, which alone some releases of Ollama count."""
_log = logging.getLogger(__name__)
_WORD = re.compile(r"\w+")


class ContextTruncation:
    """Warns, once for each model, that a server did not read all of a request.

    It is no more than a warning: the count is the server's word, and the verdict may be right all the same.
    """

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._warned: set[str] = set()

    def notice(self, request: ChatRequest, read: int | None) -> None:
        """Looks at the number of tokens that the server `read` of a request; None where it does not say."""
        if not read or request.model in self._warned or not _is_cut(request, read):
            return
        self._warned.add(request.model)
        _log.warning(
            "%s read only %s tokens of %s characters for model %s: what it says may be about a part of them; raise its "
            "context length (Ollama: OLLAMA_CONTEXT_LENGTH), and judge again",
            self._server, f"{read:,}", f"{request.characters:,}", request.model,
        )


def _is_cut(request: ChatRequest, read: int) -> bool:
    """Whether there are fewer tokens than both its length and its words need.

    One token may be a long run of blanks or of one character, or a long word, but none is two words.
    """
    if request.characters <= SHORT or not UNCACHED <= read < request.characters / MOST_CHARACTERS_OF_A_TOKEN:
        return False
    return read < sum(len(_WORD.findall(message["content"])) for message in request.messages)
