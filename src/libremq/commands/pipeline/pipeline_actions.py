"""What the actions of `libremq pipeline` do: bring the tables up to date, ask the part that knows, print.

Progress goes to standard error, results to standard output, so that results can be piped.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark  # noqa: F401  (tells at once when the extra is not installed)

from libremq.commands.output import csv_cell
from libremq.commands.pipeline.dump_actions import compact, ingest, remove
from libremq.commands.pipeline.pipeline_command import Refused
from libremq.commands.pipeline.pipeline_running import has_dumps
from libremq.commands.pipeline.pipeline_running import need_dumps as _need_dumps
from libremq.commands.pipeline.pipeline_running import say as _print
from libremq.commands.pipeline.pipeline_running import session as _session
from libremq.commands.pipeline.pipeline_running import teller as _tell
from libremq.pipeline.plain_text import table_lines
from libremq.pipeline.rules.rule import SEVERITIES
from libremq.pipeline.rules.site_facts import SiteFacts
from libremq.pipeline.rules.site_facts import load as load_site

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


SHOWN = 20
"""Rows of a table that are shown when nobody says how many."""

ROWS_MAX = 2**31 - 1
"""The highest limit that Spark takes; a higher one is none."""

_MARKS = {"severe": "SEVERE ", "warning": "WARNING", "info": "INFO   "}


def _site_facts(arguments: argparse.Namespace) -> SiteFacts | None:
    return load_site(Path(arguments.site)) if arguments.site else None


def _build(spark: SparkSession, root: str, tell: Callable[[str], None]) -> None:
    from libremq.pipeline.tables import conformed, marts

    built = conformed.build(spark, root, tell=tell)
    marts.build(spark, root, tell=tell)
    if built.days:
        tell(f"tables of {len(built.days)} days are up to date")


def _check_qmgr(arguments: argparse.Namespace, root: str) -> None:
    """A name that nobody recorded must not look like a queue manager without problems."""
    from libremq.pipeline.tables.managers import queue_managers

    known = queue_managers(root)
    if arguments.qmgr and arguments.qmgr not in known:
        raise Refused(f"no records of queue manager {arguments.qmgr}; there are {', '.join(known) or 'none'}")


def _print_json(content: Any) -> None:
    print(json.dumps(content, indent=1, default=_plain))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes | bytearray):
        return value.hex()
    return str(value)


# The actions


def tables(arguments: argparse.Namespace) -> int:
    from libremq.pipeline.tables import conformed, marts, raw
    from libremq.pipeline.tables.subjects import SUBJECTS

    root = _need_dumps(arguments)
    layer, _, name = (arguments.name or "").rpartition(".")
    places = {"raw": raw.tables(), "conformed": list(SUBJECTS), "marts": list(marts.MARTS)}
    if arguments.name:
        layer = layer or next((each for each in ("conformed", "marts", "raw") if name in places[each]), "")
        if name not in places.get(layer, ()):
            import difflib

            every = [f"{each}.{one}" for each, names in places.items() for one in names]
            near = difflib.get_close_matches(arguments.name, [*every, *SUBJECTS], 4) or ["see the list"]
            raise Refused(f"no table {arguments.name}; {', '.join(near)}", 2)
    tell = _tell(arguments)
    spark = _session(arguments, tell)
    if layer != "raw":
        _build(spark, root, tell)
    readers: dict[str, Callable[..., DataFrame]] = {"raw": raw.read, "conformed": conformed.table, "marts": marts.table}
    if arguments.name:
        return _show(readers[layer](spark, root, name), arguments)
    counted = _rows_in_tables(root, places)
    if arguments.json:
        _print_json(counted)
        return 0
    for layer, entries in counted.items():
        _print(f"{layer}/")
        for table, rows in entries.items():
            if rows:
                _print(f"  {table:<24} {rows:>12,} rows")
        empty = [table for table, rows in entries.items() if not rows]
        if empty:
            _print(f"  nothing recorded for: {', '.join(empty)}")
    return 0


def _rows_in_tables(root: str, places: Mapping[str, Sequence[str]]) -> dict[str, dict[str, int]]:
    """Rows by table, as their documents say: no file need be opened for that."""
    from libremq.pipeline.tables.conformed_store import Store

    store = Store(root)

    def rows(layer: str, name: str) -> int:
        if layer == "raw":
            return len(store.raw.counts()) if name == "counts" else sum(file.rows for file in store.raw.files(name))
        return (store.conformed if layer == "conformed" else store.marts).rows(name)

    return {layer: {name: rows(layer, name) for name in names} for layer, names in places.items()}


def _show(frame: DataFrame, arguments: argparse.Namespace) -> int:
    if arguments.where:
        frame = frame.where(arguments.where)
    if arguments.columns:
        frame = frame.select(*(name.strip() for name in arguments.columns.split(",")))
    limit = SHOWN if arguments.limit is None else arguments.limit
    rows: Iterable[Any] = frame.limit(limit).toLocalIterator() if 0 < limit <= ROWS_MAX else frame.toLocalIterator()
    if arguments.csv:
        writer = csv.writer(sys.stdout)
        writer.writerow([csv_cell(name) for name in frame.columns])
        writer.writerows([csv_cell(value) for value in row] for row in rows)
    elif arguments.json:
        for row in rows:
            print(json.dumps(row.asDict(recursive=True), default=_plain))
    else:
        for line in table_lines(frame.columns, [tuple(row) for row in rows]):
            _print(line)
    return 0


def findings(arguments: argparse.Namespace) -> int:
    from pyspark.sql import functions as F

    from libremq.pipeline import comparison
    from libremq.pipeline import findings as kept
    from libremq.pipeline.rules.rule_catalogue import BY_ID

    period = comparison.Period.of(arguments.period) if arguments.period else None
    if arguments.rule and arguments.rule not in BY_ID:
        raise Refused(f"no rule {arguments.rule}; docs/pipeline/rules.md lists them", 2)
    root, site = _need_dumps(arguments), _site_facts(arguments)
    tell = _tell(arguments)
    spark = _session(arguments, tell)
    _build(spark, root, tell)
    _check_qmgr(arguments, root)
    if period is None:
        found = kept.find(spark, root, site, tell=tell)
    else:
        found = comparison.findings_of(spark, root, period, site)
    if arguments.coverage:
        return _coverage(found.coverage, arguments)
    frame = found.findings
    if arguments.qmgr:
        frame = frame.where(F.col("qmgr") == arguments.qmgr)
    if arguments.severity:
        worse = SEVERITIES[: SEVERITIES.index(arguments.severity) + 1]
        frame = frame.where(F.col("severity").isin(list(worse)))
    if arguments.rule:
        frame = frame.where(F.col("rule") == arguments.rule).orderBy("qmgr", "object", "interval_start")
        return _each_finding([row.asDict(recursive=True) for row in frame.collect()], arguments)
    groups = [row.asDict(recursive=True) for row in kept.grouped(frame).collect()]
    states = {row["status"]: row["rules"] for row in _states(found.coverage)}
    if arguments.json:
        _print_json({"findings": groups, "rules": states})
        return 0
    for group in groups:
        _print_group(group)
    _print_summary(groups, states)
    return 0


def compare(arguments: argparse.Namespace) -> int:
    from libremq.pipeline import comparison

    before, after = comparison.Period.of(arguments.before), comparison.Period.of(arguments.after)
    root, site = _need_dumps(arguments), _site_facts(arguments)
    tell = _tell(arguments)
    spark = _session(arguments, tell)
    _build(spark, root, tell)
    tell("judging both periods")
    made = comparison.compare(spark, root, before, after, site)
    if arguments.json:
        _print_json(made.as_dict())
        return 0
    for line in comparison.as_lines(made):
        _print(line)
    return 0


def rule(arguments: argparse.Namespace) -> int:
    from libremq.pipeline.rules.rule_catalogue import BY_ID
    from libremq.pipeline.rules.rule_text import as_content, rule_lines

    if arguments.rule == "list":
        if arguments.json:
            _print_json([as_content(each) for each in BY_ID.values()])
        else:
            for each in BY_ID.values():
                _print(f"{_MARKS[each.severity]} {each.subject:<22} {each.id}")
        return 0
    if arguments.rule not in BY_ID:
        import difflib

        near = difflib.get_close_matches(arguments.rule, list(BY_ID), 4)
        raise Refused(f"no rule {arguments.rule}; {', '.join(near) or '`rule list` shows all'}", 2)
    if arguments.json:
        _print_json(as_content(BY_ID[arguments.rule]))
        return 0
    for line in rule_lines(BY_ID[arguments.rule]):
        _print(line)
    return 0


def _states(coverage: DataFrame) -> list[Any]:
    from pyspark.sql import functions as F

    return coverage.groupBy("status").agg(F.count(F.lit(1)).alias("rules")).orderBy("status").collect()


def _place(found: Mapping[str, Any]) -> str:
    return " ".join(str(found[name]) for name in ("qmgr", "object") if found.get(name)) or "the site"


def _print_group(group: Mapping[str, Any]) -> None:
    from libremq.pipeline.plain_text import shown, shown_time
    from libremq.pipeline.rules.source_sections import cited

    worst = group["worst"]
    _print(f"{_MARKS[group['severity']]} {_place(group)}: {group['rule']}")
    _print(f"        {worst['advice']}")
    times = f"{shown_time(group['first'])} to {shown_time(group['last'])} UTC" if group["first"] else "at all times"
    often = "once" if group["intervals"] == 1 else f"{group['intervals']:,} times"
    limits = f"; worst {shown(worst['value'])} against {shown(worst['threshold'])}" if worst["threshold"] else ""
    derived = ", derived" if group["derived"] else ""
    _print(f"        {often}, {times}{limits}")
    source = "our own rule" if group["fact"] == "own" else f"{group['fact']}, {cited(group['source_lines'])}"
    _print(f"        Source: {source}{derived}")
    _print("")


def _print_summary(groups: Sequence[Mapping[str, Any]], states: Mapping[str, int]) -> None:
    by_severity = {each: sum(group["severity"] == each for group in groups) for each in SEVERITIES}
    told = ", ".join(f"{count} {severity}" for severity, count in by_severity.items() if count)
    managers = len({group["qmgr"] for group in groups})
    _print(f"{told} on {managers} queue managers." if groups else "Nothing is wrong, as far as the rules can see.")
    too_little = states.get("too little to judge", 0)
    skipped = sum(count for status, count in states.items() if status != "evaluated") - too_little
    _print(f"{states.get('evaluated', 0)} rules were evaluated.")
    if too_little:
        _print(f"{too_little} had too little to judge by: intervals too short, too few events, or too few days.")
    if skipped:
        _print(
            f"{skipped} {'was' if skipped == 1 else 'were'} not, for lack of records or facts of the site:"
            " --coverage lists them, --site gives facts."
        )


def _each_finding(rows: Sequence[Mapping[str, Any]], arguments: argparse.Namespace) -> int:
    from libremq.pipeline.plain_text import shown_time

    if arguments.json:
        _print_json(rows)
        return 0
    for row in rows:
        _print(f"{_MARKS[row['severity']]} {shown_time(row['interval_start'])} {_place(row)}: {row['advice']}")
        evidence = ", ".join(f"{name} = {value}" for name, value in (row["evidence"] or {}).items())
        _print(f"        {evidence}")
    if not rows:
        _print(f"{arguments.rule} found nothing; --coverage says whether it could be evaluated.")
    return 0


def _coverage(coverage: DataFrame, arguments: argparse.Namespace) -> int:
    rows = [row.asDict(recursive=True) for row in coverage.orderBy("status", "subject", "rule").collect()]
    if arguments.json:
        _print_json(rows)
        return 0
    names = (
        *("rule", "subject", "status", "rows", "rows_judged", "rows_fired", "rows_too_little", "rows_contradicted"),
        "missing",
    )
    cells = [tuple(", ".join(row[name]) if name == "missing" else row[name] for name in names) for row in rows]
    for line in table_lines(names, cells):
        _print(line)
    return 0


def ask(arguments: argparse.Namespace) -> int:
    from libremq.pipeline.questions.ask import ask as answer_to
    from libremq.pipeline.questions.question_catalogue import find_questions, listing, question
    from libremq.pipeline.questions.question_inputs import given as given_inputs

    if arguments.listing or arguments.search:
        chosen = find_questions(arguments.search) if arguments.search else None
        if chosen is not None and not chosen:
            raise Refused(f"no question has the words {arguments.search!r}")
        if arguments.json:
            from libremq.pipeline.questions.question_catalogue import QUESTIONS

            _print_json([{"id": one.id, "text": one.text, "source": one.source} for one in chosen or QUESTIONS])
        else:
            _print(listing(chosen))
        return 0
    if not arguments.question:
        raise Refused("which question? `libremq pipeline ask --list` shows them", 2)
    wanted = question(arguments.question)
    given = given_inputs(arguments.given)
    site = _site_facts(arguments)
    frames: dict[str, DataFrame] | None = None
    root = arguments.tables
    if wanted.tables and has_dumps(arguments):
        from libremq.pipeline.tables import conformed

        tell = _tell(arguments)
        spark = _session(arguments, tell)
        _build(spark, root, tell)
        _check_qmgr(arguments, root)
        frames = conformed.tables(spark, root)
    answer = answer_to(wanted, frames, site, given, arguments.qmgr)
    if arguments.json:
        _print_json(answer.as_dict())
    else:
        _print(answer.as_text())
    return 0


def forecast(arguments: argparse.Namespace) -> int:
    from libremq.pipeline.forecast.build import build

    root, site = _need_dumps(arguments), _site_facts(arguments)
    tell = _tell(arguments)
    spark = _session(arguments, tell)
    _build(spark, root, tell)
    _check_qmgr(arguments, root)
    made = build(spark, root, site, horizon_days=arguments.days, tell=tell)
    series = [one for one in made.series if arguments.qmgr in (None, one.qmgr)]
    if arguments.json:
        _print_json([one.as_dict() for one in series])
        return 0
    for one in series:
        _print("\n".join(one.as_text()))
    if made.without_data:
        _print(f"No records of: {', '.join(made.without_data)}.")
    if not series:
        _print("There is nothing to forecast.")
    return 0


def report(arguments: argparse.Namespace) -> int:
    from libremq.pipeline import findings as kept
    from libremq.pipeline.forecast.build import build
    from libremq.pipeline.report import Form, write
    from libremq.pipeline.report.gather import gather

    endings: dict[str, Form] = {".md": "markdown", ".json": "json"}
    form: Form = arguments.format or endings.get(Path(arguments.output).suffix.lower(), "html")
    root, site = _need_dumps(arguments), _site_facts(arguments)
    if not Path(arguments.output).absolute().parent.is_dir():
        raise Refused(f"no folder {Path(arguments.output).absolute().parent} to write the report into", 2)
    if Path(arguments.output).is_dir():
        raise Refused(f"{arguments.output} is a folder; --output names the file of the report", 2)
    tell = _tell(arguments)
    spark = _session(arguments, tell)
    _build(spark, root, tell)
    kept.find(spark, root, site, tell=tell)
    build(spark, root, site, horizon_days=arguments.days, tell=tell)
    tell("gathering the figures of the report")
    size = write(gather(spark, root, site), arguments.output, form)
    _print(f"{arguments.output}: {size / 1e6:.1f} MB")
    return 0


def generate(arguments: argparse.Namespace) -> int:
    from libremq.pipeline.generator.generator_command import generate as write_dumps
    from libremq.pipeline.generator.sickness import sicknesses

    if "list" in arguments.sick:
        for sickness in sicknesses().values():
            _print(f"{sickness.name:<28} {sickness.title}")
        return 0
    folder = Path(arguments.folder)
    if folder.exists() and any(folder.iterdir()):
        raise Refused(f"{folder} is not empty; dumps go into a new folder")
    if not arguments.days > 0:
        raise Refused(f"--days {arguments.days}: there must be some time to write records of", 2)
    made = write_dumps(
        folder,
        days=arguments.days,
        queue_managers=arguments.queue_managers,
        interval_minutes=arguments.interval,
        sick=arguments.sick,
        seed=arguments.seed,
        growth_per_week=arguments.growth / 100,
        events=arguments.events,
    )
    records = sum(made.records.values())
    _print(f"{len(made.files)} dumps with {records:,} records ({made.bytes / 1e6:.1f} MB) in {made.files[0].parent}")
    for case in made.cases:
        _print(f"  {case.queue_manager}: {case.sickness.title}")
    return 0


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "ingest": ingest,
    "remove": remove,
    "compact": compact,
    "tables": tables,
    "findings": findings,
    "compare": compare,
    "rule": rule,
    "ask": ask,
    "forecast": forecast,
    "report": report,
    "generate": generate,
}
