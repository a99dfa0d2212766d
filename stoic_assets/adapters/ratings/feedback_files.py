"""Takes `$STOIC_HOME/feedback/*.json` and rated replies into `human_feedback_evaluations`.

The folder decides: a file removed from it is removed from the table. A model reads each dialogue once; the table keeps
what it found, and until all of it is there, the cache does.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

from pydantic import ValidationError

from stoic_assets.adapters.disk.configuration_files import read_text, visible_files
from stoic_assets.adapters.models.connect import connect_model, judge_panel, uses_stand_in
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.ratings.rating_keys import ratings_locked_async, read_keys
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ChatModel
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.feedback.feedback_file import DialogueFile, FeedbackFile, Metrics, MetricsFile, parse_feedback
from stoic_assets.core.feedback.human_evaluation import FEEDBACK, HumanFeedback, human_row
from stoic_assets.core.feedback.interpretation import interpret, interpreter
from stoic_assets.core.feedback.rating_bridge import rated_feedback
from stoic_assets.core.grouping import grouped
from stoic_assets.core.judging.ask import NoVerdict
from stoic_assets.core.moments import utc_text
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.table_rows import Row, Rows
from stoic_assets.core.text.foreign_text import well_formed

TABLE = "human_feedback_evaluations"
Readers = Callable[[str], ChatModel]
"""For each agent version the model that reads dialogues about it."""
STILL_COUNTS = "; what it said before still counts, until it is corrected or removed"


@dataclass(frozen=True)
class FeedbackRows:
    """All feedback of people as rows of the table, and a line for each one that is invalid or may be misplaced."""

    rows: Rows
    complaints: tuple[str, ...]

    @property
    def unmapped(self) -> list[str]:
        """Dimensions that mean no virtue; `feedback.virtues` and `ratings.virtues` in stoic.yml decide."""
        return sorted({dimension for row in self.rows for dimension in row["unmapped_dimensions"]})


def feedback_folder(home: Path) -> Path:
    """The folder for feedback files."""
    return home / "feedback"


def feedback_models(workplace: Workplace) -> Readers | None:
    """The model that reads dialogues, with the replies that are cached for a version. None offline: no model can.

    It records its calls in `feedback/llm_calls.jsonl`.
    """
    if uses_stand_in(workplace.env):
        return None
    provider = connect_model(workplace.env, workplace.settings)
    journal = feedback_folder(workplace.project.home) / "llm_calls.jsonl"
    ledger = Ledger(provider, journal, workplace.settings.prices, redactor=workplace.redactor)
    return cache(partial(workplace.cached, ledger))


def _read_folder(folder: Path) -> tuple[dict[str, tuple[str, FeedbackFile]], list[tuple[str, str]]]:
    """Every feedback once, by its id, with its file's name as tables hold it; and each invalid file with its fault."""
    files: dict[str, tuple[str, FeedbackFile]] = {}
    faults = []
    for path in visible_files(folder, ".json"):
        name = well_formed(path.name)
        try:
            file = parse_feedback(read_text(path), str(path))
        except ConfigurationError as error:
            faults.append((name, str(error)))
        else:
            files.setdefault(file.feedback_id, (name, file))
    return files, faults


async def read_feedback(workplace: Workplace, models: Readers | None) -> FeedbackRows:
    """Feedback files and rated replies as rows; nothing is stored yet.

    An invalid file may be half written: what it said before stays. `models` (see `feedback_models`) read dialogues that
    were not read before. Raises `ConfigurationError` for a fault that concerns every dialogue (a wrong key, an unknown
    model).
    """
    files, faults = _read_folder(feedback_folder(workplace.project.home))
    reader = _Reader(workplace, models)
    kept = [row for row in reader.stored({name for name, _ in faults}) if row["feedback_id"] not in files]
    still = {row["origin"] for row in kept}
    complaints = [f"{fault}{STILL_COUNTS if name in still else ''}" for name, fault in faults]
    read = await concurrently([reader.read(name, file) for name, file in files.values()])
    settings = workplace.settings
    rows = [human_row(found, settings.feedback.virtues) for found in read if found is not None]
    rows += [human_row(found, settings.ratings.virtues) for found in await rated_replies(workplace)]
    return FeedbackRows([*rows, *kept], (*complaints, *sorted(reader.complaints)))


async def rated_replies(workplace: Workplace) -> list[HumanFeedback]:
    """What raters said about each reply from our own trials. It waits for a collection that stores ratings."""
    jobs = {row["trial_id"]: row["job"] for row in workplace.warehouse.query("select trial_id, job from trials")}
    async with ratings_locked_async(workplace):
        ratings, keys = workplace.warehouse.query("select * from human_ratings"), read_keys(workplace.project.home)
    return rated_feedback(ratings, jobs, keys)


def store_feedback(workplace: Workplace, feedback: FeedbackRows) -> dict[tuple[str, str], Path]:
    """Writes what changed, and returns the new files by agent version and evaluation.

    A version whose feedback was all removed is written too, without rows.
    """
    stored = _by_place(workplace.warehouse.query(f"select * from {TABLE}"))
    found = _by_place(workplace.redactor.row(row) for row in feedback.rows)
    written = {
        place: workplace.warehouse.write(TABLE, *place, found[place])
        for place in sorted({*stored, *found})
        if _content(found[place]) != _content(stored[place])
    }
    workplace.warehouse.publish()
    return written


def _readable(metrics: str) -> Metrics | None:
    """Stored metrics; None where a pattern of `redact` spoilt them: then the dialogue is read again."""
    try:
        return Metrics.model_validate_json(metrics)
    except ValidationError:
        return None


class _Reader:
    """Reads files as feedback: adds each one's version and time, and the meaning of a dialogue."""

    def __init__(self, workplace: Workplace, models: Readers | None) -> None:
        self._workplace, self._models = workplace, models
        self._judge = judge_panel(workplace.env)[0]
        self._dimensions = tuple(workplace.settings.feedback.virtues)
        stored = workplace.warehouse.query(f"select * from {TABLE} where evaluation_id = ?", [FEEDBACK])
        self._former = {row["feedback_id"]: row for row in stored}
        evaluated = workplace.warehouse.query("select distinct agent_version from evaluations")
        self._evaluated = {row["agent_version"] for row in evaluated}
        self._now = datetime.now(UTC)
        self._complaints: defaultdict[str, list[str]] = defaultdict(list)

    @property
    def complaints(self) -> list[str]:
        """What is wrong, each with the files it is wrong with: of thousands, most are wrong in one way."""
        return [f"{listed(sorted(files))}: {problem}" for problem, files in self._complaints.items()]

    def stored(self, names: Set[str]) -> list[Row]:
        """The stored rows of files of these names."""
        return [row for row in self._former.values() if row["origin"] in names]

    async def read(self, name: str, file: FeedbackFile) -> HumanFeedback | None:
        """The feedback, or None after a complaint."""
        former = self._former.get(file.feedback_id, {})
        version = file.agent_version or former.get("agent_version") or self._newest(file.agent)
        if version is None:
            self._complain(name, f"agent {file.agent!r} was never evaluated; set agent_version")
            return None
        if version not in self._evaluated:  # it may be later; until then it enters no fitness update
            advice = "its feedback counts once it is; correct agent_version if that is a slip"
            self._complain(name, f"{version} was never evaluated: {advice}")
        given_at = file.given_at or former.get("given_at") or self._now
        whole = partial(HumanFeedback, file.feedback_id, agent_version=version, task_id=file.task_id, given_at=given_at)
        if isinstance(file, MetricsFile):
            return whole(kind="metrics", metrics=file.metrics, origin=name)
        found = await self._understood(name, file, version, former)
        return found and whole(kind="dialogue", metrics=found[0], interpreter=found[1], origin=name)

    async def _understood(
        self, name: str, file: DialogueFile, version: str, former: Row
    ) -> tuple[Metrics, str] | None:
        """A dialogue's metrics and who read them; an earlier reading is kept."""
        if former and (read := _readable(former["metrics"])):
            return read, former["interpreter"]
        if self._models is None:
            self._complain(name, "no model can read the dialogue: set OPENAI_API_KEY or OPENAI_BASE_URL")
            return None
        clean = DialogueFile.model_validate(self._workplace.redactor.row(file.model_dump()))
        settings = self._workplace.settings.judging
        try:
            metrics = await interpret(clean, self._dimensions, self._models(version), self._judge, settings)
        except NoVerdict as error:
            self._complain(name, str(error))
            return None
        return metrics, interpreter(self._judge, self._dimensions)

    def _newest(self, agent: str) -> str | None:
        """The agent's version that was evaluated last."""
        found = self._workplace.warehouse.query(
            "select agent_version from evaluations where agent = ? order by started_at desc limit 1", [agent]
        )
        return str(found[0]["agent_version"]) if found else None

    def _complain(self, name: str, problem: str) -> None:
        self._complaints[problem].append(name)


def _by_place(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    return grouped(((row["agent_version"], row["evaluation_id"]), row) for row in rows)


def _content(rows: Iterable[Row]) -> list[tuple[tuple[str, str], ...]]:
    """The rows, regardless of their order and of the times when they were written."""
    return sorted(tuple((name, _text(row[name])) for name in sorted(row) if name != "evaluated_at") for row in rows)


def _text(value: object) -> str:
    """A cell in the form in which it is compared: a time as its moment."""
    return utc_text(value) if isinstance(value, datetime) else repr(value)
