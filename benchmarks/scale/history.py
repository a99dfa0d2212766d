"""Writes a long history into a warehouse: many evaluations, each as large as a real one, made from a few templates.

The templates are written and scored as in the product. A copy has its own ids and times; texts and scores repeat from
template to template.
"""

import os
import random
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.scale.evaluation import facts
from benchmarks.scale.places import ALWAYS_OWN, History
from stoic_assets.adapters.warehouse.parquet_files import FEW_BYTES
from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.adapters.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    import pyarrow as pa

TEMPLATES = 4
TEMPLATE_VERSION = "marcus@0"
WRITINGS = {"evaluations": 2, "llm_calls": 3}
"""How often an evaluation writes these tables; all others once."""
LARGE = ("turns", "virtue_scores", "observations", "task_scores", "llm_calls")


def write_history(root: Path, history: History, first: int = 0, linked: bool = False) -> None:
    """Writes the history from its evaluation number `first` on.

    With `linked`, large tables of evaluations beyond the first thousand are hard links to a template's: enough to
    measure listing and opening.
    """
    templates = [_template(root.with_name("template"), seed) for seed in range(TEMPLATES)]
    Warehouse(root).ask(TABLES.keys(), lambda _: None)  # leaves files without rows, as the first write or query does
    for number, (version, evaluation_id, started) in enumerate(islice(history.places(), first, None), first):
        kind = number % TEMPLATES
        for table, (source, rows) in templates[kind].items():
            folder = root / table / f"agent_version={version}"
            folder.mkdir(parents=True, exist_ok=True)
            link = linked and number >= ALWAYS_OWN and table in LARGE
            copy = None if link else _copy(rows, kind, evaluation_id, started)
            for n in range(1, WRITINGS.get(table, 1) + 1):
                path = folder / f"{evaluation_id}.{n}.parquet"
                if copy is None:
                    os.link(source, path)
                else:
                    _write(copy, path)


def _write(rows: "pa.Table", path: Path) -> None:
    """Writes the same file as the product, in a third of the time."""
    import pyarrow.parquet as pq

    few = rows.nbytes < FEW_BYTES
    pq.write_table(rows, path, compression="none" if few else "zstd", use_dictionary=not few)


def _copy(rows: "pa.Table", kind: int, evaluation_id: str, started: datetime) -> "pa.Table":
    """The template's rows with the id and times of another evaluation."""
    import pyarrow as pa
    import pyarrow.compute as pc

    changed = {"evaluation_id": pa.array([evaluation_id] * len(rows), pa.string())}
    for name in ("trial_id", "call_id"):
        if name in rows.column_names:
            changed[name] = pc.replace_substring(rows[name], f"template{kind}", evaluation_id)
    if "spec_hash" in rows.column_names:  # the evaluation's own row
        moment = pa.array([started], rows.schema.field("started_at").type)
        changed |= {"started_at": moment, "ended_at": moment}
    for name, column in changed.items():
        rows = rows.set_column(rows.column_names.index(name), rows.schema.field(name), column)
    return rows


def _template(root: Path, seed: int) -> "dict[str, tuple[Path, pa.Table]]":
    """The tables of one evaluation, written and scored by the product, and read back as they are on disk."""
    import pyarrow.parquet as pq

    warehouse, key = Warehouse(root), (TEMPLATE_VERSION, f"template{seed}")
    if not warehouse.has("job_reliability", *key):
        for table, rows in facts(key[1], random.Random(seed)).items():
            warehouse.write(table, *key, rows)
        with open_models(warehouse, *key) as models:
            for model in warehouse.models.stored:
                models.run(model)
    files = {path.parents[1].name: path for path in root.glob(f"*/agent_version={key[0]}/{key[1]}.1.parquet")}
    return {table: (path, pq.ParquetFile(path).read()) for table, path in files.items()}
