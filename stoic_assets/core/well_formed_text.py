"""Text that UTF-8 can encode, as files and databases need: JSON may contain half of a surrogate pair, they cannot."""


def well_formed(text: str) -> str:
    """`text` with half a pair, as in an emoji that was cut, replaced by U+FFFD; two halves become their character."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
