"""The `libremq pipeline` command: from SMF dumps to tables, findings, answers, forecasts and a report.

The arguments of each action are here; what it does is in `cli_pipeline_actions`, imported when one runs, because Spark
takes its time. Every action first brings what it needs up to date, so `report` after `ingest` is enough.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module

from libremq.common.printable_text import printable

COMMAND = "pipeline"
DEFAULT_TABLES = "mq-tables"

HORIZON_DAYS_MAX = 730
"""As far as a forecast goes; that of `forecast.build`, which needs Spark to be imported."""

_FAILED, _USAGE = 1, 2
_TRACEBACK = "Traceback (most recent call last):"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    ingest = _action(actions, "ingest", "add SMF dumps to the raw tables")
    ingest.add_argument(
        "dumps", metavar="DUMP", nargs="+", help="a file, a folder or a pattern, here or by URI; plain or gzip"
    )
    ingest.add_argument("--encoding", help="code page of the text in the records (default cp037)")
    ingest.add_argument(
        "--form",
        choices=("auto", "rdw", "bare", "blocked"),
        help="records with a word in front, without, or in blocks that have one too; by default each file is looked at",
    )

    remove = _action(actions, "remove", "take dumps out of the tables")
    remove.add_argument(
        "dumps", metavar="DUMP", nargs="*", help="a path, file name, pattern or the first letters of a digest"
    )
    remove.add_argument(
        "--keep-days", type=_days, metavar="N", help="instead, all dumps that have nothing of the last N days recorded"
    )

    _action(actions, "compact", "bring small files together that many small dumps left")

    tables = _action(actions, "tables", "build the conformed tables and marts; list them, or show one")
    tables.add_argument("name", metavar="TABLE", nargs="?", help="a table to show, such as buffer_pool or raw.qpst")
    tables.add_argument("--where", metavar="SQL", help="only rows for which this holds, such as \"qmgr = 'QM01'\"")
    tables.add_argument("--columns", metavar="A,B,...", help="only these columns")
    tables.add_argument("--limit", type=_positive, metavar="N", help="at most so many rows (default 20; 0 is all)")
    tables.add_argument("--csv", action="store_true", help="as CSV")
    _json(tables)

    findings = _action(actions, "findings", "evaluate the rules and say what is wrong and what to change")
    _site(findings)
    findings.add_argument("--qmgr", metavar="QM", help="only of this queue manager")
    findings.add_argument("--severity", choices=("severe", "warning", "info"), help="only of this severity or worse")
    findings.add_argument("--period", metavar="FIRST..LAST", help="only of these days (UTC): 2026-03-01..2026-03-14")
    findings.add_argument("--rule", metavar="ID", help="only of this rule, with every interval")
    findings.add_argument("--coverage", action="store_true", help="what became of every rule, evaluated or not")
    _json(findings)

    compare = _action(actions, "compare", "hold two periods against each other: findings and figures")
    compare.add_argument("before", metavar="FIRST..LAST", help="days in UTC, such as 2026-03-01..2026-03-14")
    compare.add_argument("after", metavar="FIRST..LAST", help="the later, or changed, period")
    _site(compare)
    _json(compare)

    rule = _action(actions, "rule", "show a rule: what it says, why, what it needs, where to look it up", spark=False)
    rule.add_argument("rule", metavar="ID", help="the rule; `list` shows all")
    _json(rule)

    ask = _action(actions, "ask", "answer a question that analysts ask", tables=False)
    ask.add_argument("question", metavar="ID", nargs="?", help="the question; see --list")
    ask.add_argument("given", metavar="NAME=VALUE", nargs="*", default=[], help="figures to answer with")
    ask.add_argument("--list", action="store_true", dest="listing", help="all questions")
    ask.add_argument("--search", metavar="WORDS", help="questions with these words")
    ask.add_argument("--qmgr", metavar="QM", help="answer for this queue manager")
    _tables(ask, "; without tables the answer rests on what is given")
    _site(ask)
    _json(ask)

    forecast = _action(actions, "forecast", "project the load, and say when a limit is reached")
    _site(forecast)
    forecast.add_argument("--days", type=_horizon, default=90, metavar="N", help="how far to look (default 90 days)")
    forecast.add_argument("--qmgr", metavar="QM", help="only of this queue manager")
    _json(forecast)

    report = _action(actions, "report", "write a report: one HTML file that opens offline, Markdown or JSON")
    _site(report)
    report.add_argument("-o", "--output", metavar="FILE", default="report.html", help="default report.html")
    report.add_argument(
        "--format", choices=("html", "markdown", "json"), help="by default as the name of the file ends (.md, .json)"
    )
    report.add_argument("--days", type=_horizon, default=90, metavar="N", help="how far the forecast looks")

    generate = _action(actions, "generate", "write dumps of a simulated site, to try things with", spark=False)
    generate.add_argument("folder", metavar="FOLDER", help="where the dumps go; new or empty")
    generate.add_argument("--days", type=float, default=7, metavar="N", help="days of records (default 7)")
    generate.add_argument("--queue-managers", type=_positive, default=4, metavar="N", help="how many (default 4)")
    generate.add_argument("--interval", type=_positive, default=30, metavar="MINUTES", help="default 30")
    generate.add_argument(
        "--sick", metavar="NAME", action="append", default=[], help="make something wrong; `all`, or `list` to see what"
    )
    generate.add_argument(
        "--events",
        action="store_true",
        help="with restarts, short and odd intervals, idle and overloaded times and a change of the clock",
    )
    generate.add_argument("--growth", type=float, default=1.0, metavar="PERCENT", help="growth a week (default 1)")
    generate.add_argument("--seed", type=int, default=1, help="the same seed gives the same dumps (default 1)")


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    text: str,
    *,
    spark: bool = True,
    tables: bool = True,
) -> argparse.ArgumentParser:
    action = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
    if spark:
        if tables:
            _tables(action)
        action.add_argument("--master", metavar="URL", help="the Spark master; by default all cores of this machine")
        action.add_argument(
            "--conf", metavar="KEY=VALUE", action="append", default=[], help="a setting of Spark, such as memory"
        )
    action.add_argument("-q", "--quiet", action="store_true", help="no progress")
    return action


def _tables(parser: argparse.ArgumentParser, more: str = "") -> None:
    default = os.environ.get("LIBREMQ_TABLES") or DEFAULT_TABLES
    parser.add_argument(
        "-t",
        "--tables",
        metavar="FOLDER",
        default=default,
        help=f"where the tables are, also by URI; by default $LIBREMQ_TABLES, or {DEFAULT_TABLES} in this folder{more}",
    )


def _site(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--site", metavar="FILE", help="facts that no record carries (JSON or YAML): devices, settings, limits"
    )


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


def _positive(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than nothing")
    return number


def _days(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of days")
    return number


def _horizon(text: str) -> int:
    number = int(text)
    if not 1 <= number <= HORIZON_DAYS_MAX:
        raise argparse.ArgumentTypeError(f"{text} days is not between 1 and {HORIZON_DAYS_MAX}")
    return number


class Refused(Exception):
    """Something that the one at the keyboard can put right."""

    def __init__(self, text: str, code: int = _FAILED) -> None:
        super().__init__(text)
        self.code = code


def run(arguments: argparse.Namespace) -> int:
    try:
        actions = import_module("libremq.commands.pipeline.pipeline_actions")
    except ImportError as error:
        return _complain(
            f"the pipeline needs {error.name}, which is not installed: pip install 'libremq[pipeline]'", _FAILED
        )
    action: Callable[[argparse.Namespace], int] = actions.ACTIONS[arguments.action]
    try:
        return action(arguments)
    except Refused as refused:
        return _complain(str(refused), refused.code)
    except BrokenPipeError:
        raise
    except OSError as error:
        named = f"{error.strerror}: {error.filename}" if error.strerror and error.filename else str(error)
        return _complain(named, _FAILED)
    except (ValueError, RuntimeError) as error:
        return _complain(_first_lines(error), _FAILED)
    except Exception as error:
        # Errors of Spark and of the Java under it: their first line says what, the rest is about Spark's inside.
        if type(error).__module__.split(".")[0] not in ("pyspark", "py4j"):
            raise
        return _complain(f"Spark could not do it: {_first_lines(error).partition(' SQLSTATE')[0]}", _FAILED)


def _first_lines(error: BaseException) -> str:
    """The message of an error without the stack of another language in it."""
    told = str(error)
    if _TRACEBACK in told:
        # A worker failed: of its traceback the last line says why, as `OSError: No space left on device`.
        reasons = re.findall(r"^\w[\w.]*(?:Error|Exception): (.+)", told.rpartition(_TRACEBACK)[2], re.MULTILINE)
        if reasons:
            return f"a worker failed: {reasons[0].strip()}"
    first, *others = [line.strip() for line in told.splitlines() if line.strip()] or [type(error).__name__]
    inside = ("at ", "JVM stacktrace", "==", "'", "+-")
    return " ".join([first, *(line for line in others if not line.startswith(inside))][:3])


def _complain(text: str, code: int) -> int:
    print(f"libremq {COMMAND}: {printable(text)}", file=sys.stderr)
    return code
