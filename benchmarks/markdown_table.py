"""Tables as Markdown on standard output, as the documents have them."""

from collections.abc import Iterable, Sequence


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints the title and the table under it, at once."""
    lines = [head, ["---"] * len(head), *rows]
    print(f"\n{title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)
