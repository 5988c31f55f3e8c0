"""How displays look: tables on a terminal, MQ's plain lines in a pipe, JSON when asked; and bars while one waits.

Scripts parse what comes through a pipe, so that is plain whatever else happens. LIBREMQ_PLAIN=1 keeps it plain on a
terminal too. A bar goes to standard error, if that is a terminal, once the work has taken longer than a second.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from libremq.commands.queue_manager_folders import tell
from libremq.common.printable_text import printable

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

PLAIN_VARIABLE = "LIBREMQ_PLAIN"
PATIENCE_S = 1.0
READABLE_WIDTH = 20
"""A cell that is folded to so many characters can still be read, to fewer hardly."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
Row = Mapping[str, object]


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", dest="json", help="as JSON, for programs")


def is_terminal(stream: TextIO) -> bool:
    """Does a person look at it, who wants more than plain lines?"""
    if os.environ.get(PLAIN_VARIABLE, "") not in ("", "0"):
        return False
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def show_json(value: object) -> None:
    tell(json.dumps(value, indent=1, default=_json_value))


def _json_value(value: object) -> Any:
    if isinstance(value, bytes):
        return value.hex().upper()
    return str(value)


def show(
    rows: Sequence[Row],
    arguments: argparse.Namespace,
    plain: Callable[[Row], str],
    columns: Sequence[tuple[str, str]],
    title: str = "",
) -> None:
    """Show rows in the form that fits; `columns` are the keys and headings of a table."""
    if arguments.json:
        show_json([dict(row) for row in rows])
    elif rows and is_terminal(sys.stdout):
        show_table(rows, columns, title)
    else:
        for row in rows:
            tell(plain(row))


def show_table(rows: Sequence[Row], columns: Sequence[tuple[str, str]], title: str = "") -> None:
    """A table for people. Columns that are empty in every row are left out.

    More columns than the terminal has room for would fold every word: then each row is a table of its own.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    used = [(key, heading) for key, heading in columns if any(_cell(row.get(key)) for row in rows)]
    sys.stdout.flush()
    console = Console(file=sys.stdout)
    table = Table(title=title or None, title_justify="left")
    if sum(_readable(rows, key, heading) + 3 for key, heading in used) < console.width:
        for _, heading in used:
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*(Text(_cell(row.get(key))) for key, _ in used))
        console.print(table)
        return
    table.show_header = False
    table.add_column(overflow="fold", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        filled = [(heading, _cell(row.get(key))) for key, heading in used if _cell(row.get(key))]
        for number, (heading, cell) in enumerate(filled, 1):
            table.add_row(heading, Text(cell), end_section=number == len(filled))
    console.print(table)


def _readable(rows: Sequence[Row], key: str, heading: str) -> int:
    """How wide a column must be for its words not to be torn."""
    words = [word for text in (heading, *(_cell(row.get(key)) for row in rows)) for word in text.split()]
    return min(max(map(len, words), default=0), READABLE_WIDTH)


def _cell(value: object) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, list | tuple):
        return ", ".join(_cell(item) for item in value)
    return printable(str(value))


def csv_cell(value: object) -> object:
    """Text that a spreadsheet would take for a formula stands behind an apostrophe; figures stay figures."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    return printable(f"'{value}" if value.startswith(_FORMULA) else value)


class Progress:
    """A bar for work that may take long: `with Progress("Copying", total=100) as bar: bar.advance()`.

    Without a total it only moves. Nothing is shown before a second has passed, nor where nobody looks.
    """

    def __init__(self, text: str, total: int | None = None, *, output_is_shown: bool = False) -> None:
        self._text = text
        self._total = total
        self._done = 0
        self._lock = threading.RLock()
        self._rich: RichProgress | None = None
        self._task: TaskID | None = None
        # Where the output itself runs over the terminal, a bar would only be in its way
        self._wanted = is_terminal(sys.stderr) and not (output_is_shown and is_terminal(sys.stdout))
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Progress:
        if self._wanted:
            self._timer = threading.Timer(PATIENCE_S, self._begin)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._wanted = False
            if self._rich is not None:
                self._rich.stop()

    @property
    def shown(self) -> bool:
        return self._rich is not None

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        if self._rich is not None and self._task is not None:
            self._rich.update(self._task, completed=self._done)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """While something else is written to the terminal."""
        with self._lock:
            if self._rich is not None:
                self._rich.stop()
            try:
                yield
            finally:
                if self._rich is not None and self._wanted:
                    self._rich.start()

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        with self._lock:
            if not self._wanted:
                return
            parts = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn()]
            if self._total is not None:
                parts.append(MofNCompleteColumn())
            self._rich = RichProgress(
                *parts,
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = self._rich.add_task(self._text, total=self._total, completed=self._done)
            self._rich.start()
