"""Tables as Markdown on standard output, as the documents have them."""

from collections.abc import Iterable, Sequence
from itertools import chain


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints the title and the table under it, each row as soon as it is there."""
    print(f"\n{title}\n")
    for cells in chain([head, ["---"] * len(head)], rows):
        print(f"| {' | '.join(cells)} |", flush=True)
