"""The command line: one module per command. Exit codes: 0 done, 1 the work failed, 2 wrong usage."""

from __future__ import annotations


def main() -> None:
    """Run the command that was asked for."""
    from kiosk.cli.root import run_command

    run_command()
