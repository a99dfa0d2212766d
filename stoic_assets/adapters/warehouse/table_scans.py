"""SQL that reads a table: over the files that count now, for our own queries, or over those that count when it runs.

The second is the text that dbt uses too (`dbt_like_sql/models/sources.yml`); it is stored in `stoic.duckdb`.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from glob import escape
from pathlib import Path

import jinja2

from stoic_assets.adapters.warehouse.duckdb_engine import quoted
from stoic_assets.adapters.warehouse.file_names import VERSION_FOLDER
from stoic_assets.adapters.warehouse.parquet_files import Archive, Place, archives
from stoic_assets.adapters.warehouse.sql_project import read_model_yaml, sql_folder
from stoic_assets.adapters.warehouse.table_schemas import COMMON, columns_of
from stoic_assets.core.evaluation.evaluation_id import EvaluationKey
from stoic_assets.core.grouping import grouped


def live_scan(folder: Path) -> str:
    """SQL over all evaluations of the table in `folder`, for views that must also show later evaluations."""
    return f"select {_columns(folder.name)} from {_source(folder.parent).format(name=folder.name)}"


def scan(folder: Path, empty: Path, places: Mapping[EvaluationKey, Place], by_name: bool = True) -> str:
    """SQL over the evaluations at `places` of the table in `folder`.

    `empty` is the table's file without rows. Unless columns are matched `by_name`, every file must have those of
    `empty`; then no file is opened before its rows are read.
    """
    wanted = grouped((place.path, key) for key, place in places.items())
    merged = [each for each in archives(folder) if each.path in wanted]
    singles = wanted.keys() - {each.path for each in merged}
    columns = _columns(folder.name)
    options = f"hive_partitioning=false, filename=true, union_by_name={by_name}"
    files = f"read_parquet({_list([str(empty), *sorted(singles)])}, {options})"
    of_singles = f"select {columns} from (select {_version_in(folder)} as agent_version, * from {files})"
    of_archives = [
        f"select {columns} from read_parquet({_list([str(empty), each.path])}, hive_partitioning=false, "
        f"union_by_name=true){_restriction(each, wanted[each.path])}"
        for each in merged
    ]
    return " union all ".join(of_archives if merged and not singles else [of_singles, *of_archives])


def _version_in(folder: Path) -> str:
    """SQL for the version that the folder of a single file names; DuckDB then skips the files of unwanted versions.

    Its own `hive_partitioning` would find columns in the folders above too, and prefer them to those in the files.
    """
    before = len(f"{folder}/{VERSION_FOLDER}")
    return f"regexp_extract(substr(filename, {before + 1}), '[^/]+')"


def _restriction(archive: Archive, wanted: Collection[EvaluationKey]) -> str:
    """A where clause for the wanted evaluations of an archive; plain lists, so that DuckDB can skip row groups."""
    if len(wanted) == len(archive.held):
        return ""
    versions, ids = {version for version, _ in wanted}, {evaluation_id for _, evaluation_id in wanted}
    clause = f" where agent_version in ({_texts(versions)}) and evaluation_id in ({_texts(ids)})"
    if sum(version in versions and evaluation_id in ids for version, evaluation_id in archive.held) > len(wanted):
        pairs = ", ".join(f"({quoted(version)}, {quoted(evaluation_id)})" for version, evaluation_id in wanted)
        clause += f" and (agent_version, evaluation_id) in ({pairs})"
    return clause


def _texts(values: Iterable[str]) -> str:
    return ", ".join(map(quoted, sorted(values)))


def _list(files: Iterable[str]) -> str:
    return f"[{', '.join(quoted(escape(file)) for file in files)}]"


def _columns(table: str) -> str:
    own = [name for name in columns_of(table) if name not in COMMON]
    return ", ".join(f'"{name}"' for name in ("agent_version", *COMMON, *own))


@cache
def _source(warehouse: Path) -> str:
    """Where dbt finds a table, from `sources.yml`; the name is still to be filled in."""
    [source] = read_model_yaml(sql_folder() / "models" / "sources.yml")["sources"]
    template = jinja2.Template(source["config"]["external_location"], undefined=jinja2.StrictUndefined)
    return str(template.render(env_var=lambda *_: str(warehouse)))
