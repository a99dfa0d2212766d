"""How far an evaluation is."""

CONVERSED = "conversed"
"""The status of an evaluation whose conversations are stored, and which was not scored yet."""
FINISHED = "finished"
"""The status of an evaluation that was scored, with all its planned trials and verdicts."""
REGRADING = "regrading"
"""The status of an evaluation from the moment new verdicts begin to replace its old ones until it is scored by them."""
INCOMPLETE = "incomplete"
"""The status of an evaluation whose cost ceiling was reached before all planned trials or verdicts."""
WITH_SCORES = (FINISHED, INCOMPLETE)
"""The statuses of evaluations of which every table that judging makes is stored."""
DONE = (FINISHED, REGRADING)
"""The statuses of evaluations whose conversations are complete."""
