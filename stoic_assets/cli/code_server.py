"""Dagster's code servers: `python -m stoic_assets.cli.code_server` takes the arguments of `dagster`.

By themselves Dagster's web server, daemon and code servers put the `.env` of the current folder over their environment,
blank values too. The processes that they start inherit these values. A run would take them for its real environment,
which has precedence over the file, and so miss later changes to the file. Ours leave the file to `open_workplace`,
which reads it for each run.
"""

import sys
from collections.abc import Sequence

from dagster._cli import main, utils
from dagster._core.origin import get_python_environment_entry_point
from dagster._grpc import server

_MODULE = "stoic_assets.cli.code_server"


def leave_env_file() -> None:
    """Makes this process, and the code servers that it starts, leave `.env` alone."""
    utils.get_env_var_dict = lambda base_dir: {}  # type: ignore[attr-defined]
    server.get_python_environment_entry_point = _entry_point  # type: ignore[attr-defined]


def _entry_point(executable_path: str) -> Sequence[str]:
    """How to start a code server; another Python, which a workspace may name, need not have this package."""
    is_ours = executable_path == sys.executable
    return [executable_path, "-m", _MODULE] if is_ours else get_python_environment_entry_point(executable_path)


if __name__ == "__main__":
    leave_env_file()
    main()  # type: ignore[no-untyped-call]
