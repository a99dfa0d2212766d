"""A table's columns for a CSV file: plain cells that a spreadsheet shows and never runs.

A spreadsheet runs a cell that begins like a formula, and an agent's text can begin so. Such a text gets an apostrophe
in front. Numbers and JSON keep their signs: neither can be a formula.
"""

from stoic_assets.adapters.warehouse.table_schemas import COMMON, columns_of

_DISARMED = r"""regexp_replace("{0}", '^([=+\-@\t\r\n＝＋－＠])', '''\1')"""
"""Spreadsheets strip some characters in front of a formula; the wide signs count in some locales."""
_JSON = 'to_json("{0}")'
_CELLS = {
    "text": _DISARMED,
    "time": """strftime("{0}", '%Y-%m-%dT%H:%M:%S.%fZ')""",
    "texts": _JSON,
    "aspects": _JSON,
    "weights": _JSON,
}


def spreadsheet_columns(table: str) -> str:
    """The columns for a SELECT: lists and structs as JSON, times in ISO 8601, text disarmed."""
    kinds = {"agent_version": "text"} | COMMON | {name: kind.name for name, kind in columns_of(table).items()}
    cells = {name: _CELLS.get(kind, '"{0}"').format(name) for name, kind in kinds.items()}
    return ", ".join(f'{cell} as "{name}"' for name, cell in cells.items())
