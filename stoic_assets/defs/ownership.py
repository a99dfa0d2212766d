"""Who looks after the assets of this project."""

OWNERS = ["team:agent-quality"]
