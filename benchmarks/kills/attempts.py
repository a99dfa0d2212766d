"""The attempts of a trial: a kill among its setups makes its next start another one, with a user of its own."""

import re

LATER = re.compile(r"(\.(?:withheld|supplied)\.\d+)-\d+")


def of_whichever_attempt(text: str) -> str:
    """The text with the names of a trial's later attempts (`….supplied.1-2`) as those of the first."""
    return LATER.sub(r"\1", text)
