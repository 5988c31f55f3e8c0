"""The `libremq plan` command: size logs, page sets, structures, channels and more, with formula and source.

`libremq plan` lists the plans; `libremq plan log --help` says what the plan of logs wants to know. Options are made of
the data of the plan, so the words after the plan's name are parsed by a parser of its own, in `plan_actions`. What is
wrong with them is one line on standard error and exit code 2.
"""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "Without a plan, or with --list, the plans are listed.\n"
        "libremq plan PLAN --help says what a plan wants to know, with an example."
    )
    parser.add_argument("--list", action="store_true", help="list the plans")
    parser.add_argument("plan", nargs="?", metavar="PLAN", help="what to size, such as log")
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="OPTION", help="options of the plan")


def run(arguments: argparse.Namespace) -> int:
    from libremq.commands.pipeline import plan_actions

    return plan_actions.run(arguments)
