"""Text that UTF-8 can hold, and so files and databases: JSON can hold half of a surrogate pair, they cannot."""


def well_formed(text: str) -> str:
    """`text`, half a pair, as a cut-off emoji leaves it, replaced by U+FFFD; two halves become their character."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
