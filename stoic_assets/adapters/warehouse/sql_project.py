"""The SQL models as a dbt project: finds, renders and orders them, and turns `schema.yml` tests into SQL.

Only what dbt itself would read the same way is supported: `ref`, `source`, `var`, the macros of the project, those
built-in tests that it has and its own generic tests. Running anything belongs to `sql_models`.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import jinja2
import yaml

from stoic_assets.adapters.disk.paths import shipped
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.errors import ConfigurationError

_BUILT_IN_TESTS = """
{% test not_null(model, column_name) %}
select * from {{ model }} where {{ column_name }} is null
{% endtest %}
{% test accepted_values(model, column_name, values) %}
select * from {{ model }} where {{ column_name }} not in (
    {%- for value in values %}'{{ value }}'{{ ", " if not loop.last }}{% endfor -%}
)
{% endtest %}
{% test relationships(model, column_name, to, field) %}
select * from {{ model }} where {{ column_name }} is not null and {{ column_name }} not in (
    select {{ field }} from {{ to }} where {{ field }} is not null
)
{% endtest %}
"""


@dataclass(frozen=True)
class ModelTest:
    """One test of a model: `sql` selects the rows that fail it, `inputs` are the tables it reads."""

    name: str
    sql: str
    inputs: frozenset[str]


def sql_folder() -> Path:
    """The dbt project that comes with the product."""
    return shipped("dbt_like_sql")


def model_variables(settings: Settings) -> dict[str, float]:
    """The `var`s of the models, as `stoic.yml` sets them."""
    return {
        "invalid_trials_threshold": settings.invalid_trials_threshold,
        "weak_score_below": settings.weakness.score_below,
        "weak_confidence_above": settings.weakness.confidence_above,
        "weak_calibrated_confidence_above": settings.weakness.calibrated_confidence_above,
        "trend_slope": settings.trend.slope,
        "pass_task_score": settings.passing.task_at_least,
    }


@cache
def _descriptions(folder: Path) -> dict[str, dict[str, Any]]:
    """The models of `schema.yml` by name; read once a process."""
    documents = map(read_model_yaml, (folder / "models").rglob("*.yml"))
    return {model["name"]: model for document in documents for model in document.get("models", [])}


@cache
def _template(text: str) -> jinja2.Template:
    """The compiled template, made once a process: compiling takes longer than reading and rendering everything."""
    return jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text)  # noqa: S701 (SQL, not HTML)


class SqlProject:
    """The rendered models. `variables` override the `vars` of `dbt_project.yml`."""

    def __init__(self, folder: Path | None = None, variables: Mapping[str, Any] | None = None) -> None:
        self.folder = folder or sql_folder()
        self._overrides = dict(variables or {})

    @cached_property
    def sql(self) -> dict[str, str]:
        """Model name to SQL in which every ref and source is the plain name of its table."""
        return {name: sql for name, (sql, _) in self._rendered.items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All models, each after those it reads."""
        graph = {name: sorted(inputs) for name, (_, inputs) in self._rendered.items()}
        return tuple(name for name in TopologicalSorter(graph).static_order() if name in graph)

    @cached_property
    def stored(self) -> tuple[str, ...]:
        """The models that are run for each evaluation and kept as files, in the order to run them."""
        return tuple(model for model in self.order if not self.is_view(model))

    def with_inputs(self, names: Set[str]) -> Iterator[str]:
        """`names` and everything that the views among them read; a model comes after all that it reads."""
        wanted = set(names)
        for model in reversed(self.order):
            if model in wanted and self.is_view(model):
                wanted |= self.inputs(model)
        yield from (table for table in TABLES if table in wanted and table not in self.sql)
        yield from (model for model in self.order if model in wanted)

    def inputs(self, model: str) -> frozenset[str]:
        """The tables and models that `model` reads."""
        return self._rendered[model][1]

    def digest(self, model: str) -> str:
        """SHA-256 of a model's file and of the macros, whatever the variables are."""
        return hashlib.sha256((self._macros + self._files[model]).encode()).hexdigest()

    def is_view(self, model: str) -> bool:
        """Whether the model looks across evaluations and so has no files of its own."""
        return self._config(model).get("materialized") == "view"

    def description(self, model: str) -> str:
        """The model's description, in one sentence."""
        return str(self._described[model]["description"]).strip()

    def key(self, model: str) -> frozenset[str]:
        """The columns that identify a row of a model: those of its test `unique_key`."""
        [test] = (test for test in self._described[model]["data_tests"] if "unique_key" in test)
        return frozenset(test["unique_key"]["arguments"]["columns"])

    def plotted(self, model: str) -> tuple[str, ...]:
        """The columns with numbers that say how a version does, for plots over versions; often none."""
        return tuple(self._config(model).get("meta", {}).get("plotted", ()))

    def tests(self, model: str) -> tuple[ModelTest, ...]:
        """The tests of a model and of its columns; their names are unique within the model."""
        entry = self._described[model]
        own = [self._test(model, test, None) for test in entry.get("data_tests", [])]
        columns = entry.get("columns", [])
        return (*own, *(self._test(model, t, c["name"]) for c in columns for t in c.get("data_tests", [])))

    @cached_property
    def variables(self) -> dict[str, Any]:
        """The `vars` of the project with the overrides."""
        project: dict[str, Any] = read_model_yaml(self.folder / "dbt_project.yml")
        return {**project.get("vars", {}), **self._overrides}

    @cached_property
    def _macros(self) -> str:
        files = sorted((self.folder / "macros").glob("*.sql"))
        return "".join(file.read_text(encoding="utf-8") for file in files)

    @cached_property
    def _files(self) -> dict[str, str]:
        files = sorted((self.folder / "models").rglob("*.sql"))
        if not files:
            raise ConfigurationError(f"no SQL models in {self.folder}; reinstall the package")
        return {file.stem: file.read_text(encoding="utf-8") for file in files}

    @cached_property
    def _rendered(self) -> dict[str, tuple[str, frozenset[str]]]:
        return {name: self._render(text) for name, text in self._files.items()}

    def _config(self, model: str) -> dict[str, Any]:
        config: dict[str, Any] = self._described[model].get("config", {})
        return config

    @property
    def _described(self) -> dict[str, dict[str, Any]]:
        return _descriptions(self.folder)

    @cached_property
    def _test_module(self) -> Any:
        """Generic tests as a jinja module: dbt's `test` tag works like a macro."""
        own = (file.read_text(encoding="utf-8") for file in sorted((self.folder / "tests" / "generic").glob("*.sql")))
        text = re.sub(r"{%\s*(end)?test\b", r"{% \1macro", _BUILT_IN_TESTS + "".join(own))
        return _template(text).make_module(self._functions(set()))

    def _functions(self, used: set[str]) -> dict[str, Callable[..., Any]]:
        """dbt's `ref`, `source` and `var`; the names that a template reads are added to `used`."""

        def ref(name: str) -> str:
            if name not in TABLES:
                raise ConfigurationError(f"a SQL model reads {name!r}, which is not a table; see docs/tables.md")
            used.add(name)
            return name

        def var(name: str) -> Any:
            if name not in self.variables:
                raise ConfigurationError(f"a SQL model uses var({name!r}); add it to dbt_project.yml")
            return self.variables[name]

        return {"ref": ref, "source": lambda _, name: ref(name), "var": var}

    def _render(self, template: str) -> tuple[str, frozenset[str]]:
        """The SQL and the names it reads."""
        used: set[str] = set()
        functions = self._functions(used)
        macros = vars(_template(self._macros).make_module(functions))
        return _template(template).render(functions | macros).strip(), frozenset(used)

    def _test(self, model: str, test: str | Mapping[str, Any], column: str | None) -> ModelTest:
        name, details = (test, {}) if isinstance(test, str) else next(iter(test.items()))
        arguments: dict[str, Any] = dict(details.get("arguments", {}))
        others: frozenset[str] = frozenset()
        if "to" in arguments:
            arguments["to"], others = self._render("{{ " + arguments["to"] + " }}")
        if column:
            arguments["column_name"] = column
        sql = getattr(self._test_module, name)(model=model, **arguments)
        return ModelTest(f"{name}_{column}" if column else name, sql.strip(), others | {model})


# With libyaml a tenth of the time: the files are read once a process, which took 0.04 to 0.1 s without it.
_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


def read_model_yaml(file: Path) -> Any:
    """The document in a file."""
    return yaml.load(file.read_text(encoding="utf-8"), _LOADER)  # noqa: S506 (both are safe)
