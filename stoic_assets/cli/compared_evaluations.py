"""Which evaluations `stoic compare --evaluation` names: one of each version, or two of one."""

from collections.abc import Collection, Mapping, Sequence

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.presentation.names import SHOWN, instead_of


def compared_evaluations(
    workplace: Workplace, base: str, candidate: str, wanted: Sequence[str]
) -> tuple[str | None, str | None]:
    """The id that is named for each version, or None; if both are the same version, the first id is the base's.

    Raises `ConfigurationError` for an id that belongs to neither version, is named twice, or is a second one for the
    same version.
    """
    if base == candidate and len(wanted) != 2:
        raise ConfigurationError(
            "BASE and CANDIDATE are the same version; name two of its evaluations: --evaluation BASE_ID --evaluation ID"
        )
    versions, chosen = {"base": base, "candidate": candidate}, dict[str, str]()
    for evaluation_id in wanted:
        holders = [side for side, version in versions.items() if workplace.has_evaluation(version, evaluation_id)]
        free = [side for side in holders if side not in chosen]
        if not free:
            why = _why_refused(evaluation_id, holders, versions, chosen, workplace)
            raise ConfigurationError(f"--evaluation {evaluation_id}: {why}")
        chosen[free[0]] = evaluation_id
    return chosen.get("base"), chosen.get("candidate")


def _why_refused(
    evaluation_id: str, holders: Collection[str], versions: Mapping[str, str], chosen: Mapping[str, str],
    workplace: Workplace,
) -> str:
    """Why an id cannot be one side of the comparison; `holders` are the sides whose version has it."""
    ids = {
        side: [row["evaluation_id"] for row in workplace.warehouse.evaluations(version)]
        for side, version in versions.items()
    }  # fmt: skip
    if not holders:
        listing = instead_of(evaluation_id, sorted({*ids["base"], *ids["candidate"]}))
        return f"not an evaluation of {' or '.join(dict.fromkeys(versions.values()))}; {listing}"
    if evaluation_id in chosen.values():
        return "named twice"
    side, other = ("base", "candidate") if "base" in holders else ("candidate", "base")
    there = listed(ids[other], SHOWN) or "none"
    return f"of {versions[side]}, as {chosen[side]} is; name one of each version; of {versions[other]}: {there}"
