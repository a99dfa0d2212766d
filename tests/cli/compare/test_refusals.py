"""What cannot be compared, and what is said of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compare_command import BASE, BY_HAND, CANDIDATE, COMMANDS, Evaluate
from typer.testing import CliRunner

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.side import ComparisonRefused
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest


def test_what_cannot_be_compared_is_no_success_and_is_written_all_the_same(
    compared: Any, evaluate: Evaluate, tmp_path: Path
) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, offline=True)
    with pytest.raises(ComparisonRefused) as caught:
        compared("--junit", "told.xml", "--markdown", "told.md")
    assert caught.value.exit_code == 3
    for name in ("told.xml", "told.md"):
        assert CANDIDATE in (tmp_path / name).read_text()


def test_one_file_for_both_formats_is_refused_and_stays(compared: Any, tmp_path: Path) -> None:
    (tmp_path / "told").write_text("before")
    (tmp_path / "link").symlink_to("told")
    for other in ("told", "./told", "link"):
        with pytest.raises(ConfigurationError, match="is named twice; name a file for each format"):
            compared("--junit", "told", "--markdown", other)
    assert (tmp_path / "told").read_text() == "before"


@pytest.mark.parametrize("named", [[], ["--evaluation", "e1"]])
def test_a_version_is_compared_with_itself_in_two_evaluations_alone(
    compared: Any, evaluate: Evaluate, named: list[str]
) -> None:
    evaluate(BASE)
    with pytest.raises(ConfigurationError, match="name two of its evaluations"):
        CliRunner().invoke(COMMANDS, [BASE, BASE, *named], catch_exceptions=False)


def test_a_version_whose_evaluations_are_all_unfinished_is_refused_in_the_files_too(
    evaluate: Evaluate, compared: Any, tmp_path: Path
) -> None:
    evaluate(BASE, trials=range(4))
    evaluate(CANDIDATE, trials=range(4), status="incomplete")
    again = f"`stoic eval --agent-version {CANDIDATE} --resume e1`"
    with pytest.raises(ComparisonRefused, match=f"^{CANDIDATE}: its newest evaluation is incomplete; .* {again}"):
        compared("--junit", "told.xml", "--markdown", "told.md")
    for name in ("told.xml", "told.md"):
        assert "--resume e1" in (tmp_path / name).read_text()


def test_no_older_evaluation_takes_the_place_of_one_that_is_being_judged_again(
    evaluate: Evaluate, compared: Any
) -> None:
    evaluate(BASE, trials=range(4))
    evaluate(BASE, **BY_HAND, status="regrading")
    evaluate(CANDIDATE, trials=range(4))
    again = r"by-hand.* is not finished \(regrading\); continue with `stoic regrade"
    with pytest.raises(ComparisonRefused, match=again):
        compared()


def test_of_a_version_that_was_never_evaluated_it_is_told_what_to_do(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, trials=range(4))
    with pytest.raises(ConfigurationError, match=f"^{CANDIDATE}: it .*`stoic "):
        compared()


def test_what_is_left_of_a_deletion_that_was_cut_short_is_not_compared(
    evaluate: Evaluate, compared: Any, workplace: Workplace
) -> None:
    for version in (BASE, CANDIDATE):
        evaluate(version, trials=range(4))
    compared()
    workplace.evidence.begin_deletion(BASE)
    with pytest.raises(ConfigurationError, match=f"^{BASE} is being deleted, or its .*; run `stoic delete {BASE}`"):
        compared()


def test_of_a_named_evaluation_that_was_cut_short_the_way_on_is_told(
    evaluate: Evaluate, compared: Any, workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE)
    workplace.evidence.begin(make_manifest(agent_version=BASE, evaluation_id="cut"))
    with pytest.raises(ComparisonRefused, match=r"its evaluation cut was cut short; continue with .* --resume cut"):
        compared("--evaluation", "cut")
    with pytest.raises(ConfigurationError, match="--evaluation none: not an evaluation of marcus@1 or marcus@2; known"):
        compared("--evaluation", "none")


@pytest.mark.parametrize(("named", "told"), [
    (["e1", "e1"], "named twice"), (["by-hand", "by-hand"], "named twice"), (["e1", "other", "e1"], "named twice"),
    (["other", "by-hand"], "of marcus@2, as other is; name one of each version; of marcus@1: e1"),
    (["e1", "by-had"], r"not an evaluation of marcus@1 or marcus@2; did you mean by-hand\? known: by-hand, e1, other"),
])  # fmt: skip
def test_an_evaluation_that_cannot_be_a_side_is_refused_with_the_true_reason(
    evaluate: Evaluate, compared: Any, named: list[str], told: str
) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, identity="other")
    evaluate(CANDIDATE, **BY_HAND)
    options = [word for each in named for word in ("--evaluation", each)]
    with pytest.raises(ConfigurationError, match=f"^--evaluation {named[-1]}: {told}$"):
        compared(*options)
