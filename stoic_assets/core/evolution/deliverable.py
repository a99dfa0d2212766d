"""Whether a fitness update is sent at all."""

from stoic_assets.core.table_rows import Row


def deliverable(update: Row) -> bool:
    """Whether an update, by its fields or its row in `fitness_updates`, has anything to say.

    That is a result, be it that no virtue could be scored, or a later revision: it replaces what was sent.
    """
    scored = update["conclusive"] and update["scored_trials"]
    return bool(update["fitness"] is not None or scored or update["revision"] > 1)
