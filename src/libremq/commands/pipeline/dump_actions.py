"""The actions of `libremq pipeline` about dumps: add them to the tables, take them out, bring small files together."""

from __future__ import annotations

import argparse
import sys
from datetime import date, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from libremq.commands.pipeline.pipeline_command import Refused
from libremq.commands.pipeline.pipeline_running import need_dumps, say, session, teller
from libremq.common.printable_text import printable
from libremq.pipeline.storage import is_uri

if TYPE_CHECKING:
    from libremq.pipeline.tables.raw import IngestReport
    from libremq.pipeline.tables.raw_tables import DumpReport

LISTED = 10
"""Dumps that get a line each; of more, only those with something to tell."""

_DIGEST_LETTERS_MIN = 8


def ingest(arguments: argparse.Namespace) -> int:
    from libremq.pipeline.smf.files import list_files
    from libremq.pipeline.tables import raw

    here = [path for path in arguments.dumps if not is_uri(path)]
    # What is not there is told before Spark starts.
    if not list_files(here) and len(here) == len(arguments.dumps):
        raise Refused(f"no dump in {', '.join(arguments.dumps)}")
    tell = teller(arguments)
    done: list[str] = []

    def count(text: str) -> None:
        if text.startswith("added "):
            done.append(text)
        tell(text)

    spark = session(arguments, tell, bar=True)
    try:
        report = raw.ingest(
            spark, arguments.dumps, arguments.tables, encoding=arguments.encoding, form=arguments.form, tell=count
        )
    except KeyboardInterrupt:
        print(printable(f"\ninterrupted; {len(done)} dumps were added and stay"), file=sys.stderr)
        raise
    return _told(report, arguments)


def _told(report: IngestReport, arguments: argparse.Namespace) -> int:
    many = len(report.dumps) > LISTED
    strange = {dump.digest for dump in report.added if not dump.records_decoded}
    for dump in report.dumps:
        if dump.problem:
            say(f"{dump.path}: not added: {dump.problem}")
        elif dump.added and dump.digest in strange:
            say(f"{dump.path}: {_account(dump)}")
            say(f"{dump.path}: not one record of MQ (SMF 115 and 116). Is it a dump of SMF, copied in binary?")
        elif not dump.added and not many:
            was = "was in the tables and is too old for them" if dump.expired else "in the tables already"
            say(f"{dump.path}: {was}, nothing added")
        elif dump.added and (dump.records_quarantined or dump.replaced or not many):
            again = "read anew, " if dump.replaced else ""
            say(f"{dump.path}: {again}{_account(dump)}; {sum(dump.rows.values()):,} rows")
    quarantined = report.total("records_quarantined")
    if quarantined:
        say(
            f"{quarantined:,} records could not be read; see `libremq pipeline tables raw.quarantine"
            f" --tables {arguments.tables}`"
        )
    bad = len(report.failed) + len(strange)
    if many or bad:
        say(_last_line(report, len(strange)))
    return 1 if bad else 0


def _last_line(report: IngestReport, strange: int) -> str:
    """The whole run in one line: what a night's job is judged by."""
    already = len(report.dumps) - len(report.added) - len(report.failed)
    parts = [f"{len(report.added)} of {len(report.dumps)} dumps added"]
    if already:
        parts.append(f"{already} in the tables already")
    if report.failed:
        parts.append(f"{len(report.failed)} NOT ADDED")
    if strange:
        parts.append(f"{strange} WITHOUT A RECORD OF MQ")
    counted = ("records_in", "records_decoded", "records_skipped", "records_quarantined")
    figures = {name: report.total(name) for name in counted}
    return f"{', '.join(parts)}: {_figures(**figures)}"


def _account(dump: DumpReport) -> str:
    return _figures(dump.records_in, dump.records_decoded, dump.records_skipped, dump.records_quarantined)


def _figures(records_in: int, records_decoded: int, records_skipped: int, records_quarantined: int) -> str:
    return (
        f"{records_in:,} records = {records_decoded:,} decoded + {records_skipped:,} skipped"
        f" + {records_quarantined:,} quarantined"
    )


def remove(arguments: argparse.Namespace) -> int:
    """Take dumps out, by what they are called or by their age; the tables made of them follow with the next command."""
    from libremq.pipeline.tables.raw_tables import RawTables

    if bool(arguments.dumps) == (arguments.keep_days is not None):
        raise Refused("name the dumps to remove, or give --keep-days N", 2)
    raw = RawTables(need_dumps(arguments))
    with raw.writing():
        if arguments.keep_days is not None:
            days = [day for dump in raw.dumps() if not dump.expired for day in dump.days]
            if not days:
                raise Refused(f"no dump in {arguments.tables} has a day")
            first = date.fromisoformat(max(days)) - timedelta(days=arguments.keep_days - 1)
            gone = raw.expire(first.isoformat())
            for dump in gone:
                say(f"{dump.path}: removed, its last day is {max(dump.days)}")
            say(f"{len(gone)} dumps removed that have nothing of {first} or later")
            return 0
        for pattern in arguments.dumps:
            if not any(_is_meant(dump, pattern) for dump in raw.dumps()):
                raise Refused(f"no dump {pattern} in {arguments.tables}; nothing was removed")
        gone = raw.remove(lambda dump: any(_is_meant(dump, pattern) for pattern in arguments.dumps))
        for dump in gone:
            say(f"{dump.path}: removed, {_account(dump)}")
        say(f"{len(gone)} dumps removed")
    return 0


def _is_meant(dump: DumpReport, pattern: str) -> bool:
    """By path, by the last part of it, by a pattern of either, or by the beginning of the digest."""
    names = {dump.path, dump.path.rpartition("/")[2]}
    wanted = pattern if is_uri(pattern) else str(Path(pattern))
    absolute = wanted if is_uri(pattern) else str(Path(pattern).absolute())
    if any(fnmatchcase(name, each) for name in names for each in (wanted, absolute)) or names & {pattern, absolute}:
        return True
    return len(pattern) >= _DIGEST_LETTERS_MIN and dump.digest.startswith(pattern.lower())


def compact(arguments: argparse.Namespace) -> int:
    """Bring all small files together that dumps left."""
    from libremq.pipeline.tables.raw_tables import RawTables

    raw = RawTables(need_dumps(arguments))
    with raw.writing():
        before = sum(len(holding.files) for holding in raw.holdings())
        gone = raw.compact(least=2)
        say(f"{before:,} files became {before - gone:,}" if gone else f"{before:,} files; none was small enough")
    return 0
