"""`make planted`: known bugs put into the source, one at a time, and whether the tests that should notice do.

    python -m soak.planted [--only WORDS] [--minutes M]

The rows are in `soak/planted_promises.py`, `planted_defences.py`, `planted_corners.py` and `planted_long_puts.py`. For
each bug the tests that it names run against a copy of the source that has it; the one that fails first must go well
without it. A line for each says who has noticed, or SURVIVED; the exit code is 1 if any did. It takes some seconds
each, half an hour in all, so it is no part of `make test`.
"""

from __future__ import annotations

import argparse
import ast
import sys
import time
from functools import cache

from soak.changed_source import first_failure, source_of
from soak.planted_bug import Bug
from soak.planted_corners import CORNERS
from soak.planted_defences import DEFENCES
from soak.planted_long_puts import LONG_PUTS
from soak.planted_promises import PROMISES

BUGS = (*PROMISES, *DEFENCES, *CORNERS, *LONG_PUTS)


def planted(bug: Bug) -> str:
    """The module with the bug. ValueError if its text is not there, or not only once, or what comes of it is none."""
    source = source_of(bug.module)
    if source.count(bug.old) != 1:
        raise ValueError(f"{bug.name}: {bug.module} has {source.count(bug.old)} times {bug.old!r}")
    content = source.replace(bug.old, bug.new)
    try:
        changed = ast.dump(ast.parse(content)) != ast.dump(ast.parse(source))
    except SyntaxError as error:
        raise ValueError(f"{bug.name}: {error}") from error
    if not changed:
        raise ValueError(f"{bug.name}: nothing changes")
    return content


def outcome(bug: Bug) -> str:
    """Who notices; empty if nobody does."""
    tests = tuple(f"tests/{one}" for one in bug.tests)
    found = first_failure(bug.module, planted(bug), tests)
    if not found:
        return ""
    # All parameters of a test: what is in the brackets may have been cut
    alone = (found.split(" ", 1)[1].partition("[")[0],) if found.startswith(("FAILED ", "ERROR ")) else tests
    if trouble := _without_bug(bug.module, alone):
        return f"NOT KNOWN: without the bug, too, {trouble}"
    return f"found: {found}"


@cache
def _without_bug(module: str, tests: tuple[str, ...]) -> str:
    return first_failure(module, source_of(module), tests)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="soak.planted", description="Plant known bugs and see that tests notice.")
    parser.add_argument("--only", default="", help="those whose name or module has these words")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin none after so many minutes")
    chosen = parser.parse_args(arguments)
    bugs = [bug for bug in BUGS if chosen.only in f"{bug.name} {bug.module}"]
    print(f"planted: {len(bugs)} of {len(BUGS)} bugs, some seconds each", flush=True)
    until = time.monotonic() + chosen.minutes * 60
    tried, unnoticed = 0, []
    for bug in bugs:
        if time.monotonic() > until:
            break
        who = outcome(bug)
        tried += 1
        if not who.startswith("found"):
            unnoticed.append(bug)
        print(f"{bug.name} ({bug.module}): {who or 'SURVIVED'}", flush=True)
    print(f"{tried - len(unnoticed)} of {tried} found; {len(bugs) - tried} not tried")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
