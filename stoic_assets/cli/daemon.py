"""Dagster's daemon that leaves `.env` alone: `python -m stoic_assets.cli.daemon` takes dagster-daemon's arguments."""

from dagster._daemon.cli import main

from stoic_assets.cli.code_server import leave_env_file

if __name__ == "__main__":
    leave_env_file()
    main()
