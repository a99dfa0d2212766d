"""The owners of the assets of this project."""

OWNERS = ["team:agent-quality"]
