"""What all actions of `libremq pipeline` need to run: progress, output, a Spark session, the tables there are.

Progress goes to standard error, results to standard output, so that results can be piped.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

from libremq.commands.pipeline.pipeline_command import Refused
from libremq.common.printable_text import printable
from libremq.pipeline.spark_session import make_session
from libremq.pipeline.storage import is_uri, place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS_BETWEEN = 5.0
"""How often progress is told where it cannot be told in place."""


def teller(arguments: argparse.Namespace) -> Callable[[str], None]:
    """What is being done, on standard error: on a terminal one line that changes, else a line now and then."""
    if arguments.quiet:
        return lambda _: None
    began = time.monotonic()
    last = -_SECONDS_BETWEEN

    def tell(text: str) -> None:
        nonlocal last
        passed = time.monotonic() - began
        line = f"[{passed:5.1f} s] {printable(text)}"
        if sys.stderr.isatty():
            print(f"\r\033[K{line[: shutil.get_terminal_size().columns - 1]}", end="", file=sys.stderr, flush=True)
        elif passed - last >= _SECONDS_BETWEEN:
            last = passed
            print(line, file=sys.stderr, flush=True)

    return tell


def say(text: str) -> None:
    if sys.stderr.isatty() and sys.stdout.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)  # away with the line of progress
    print(printable(text))


def session(arguments: argparse.Namespace, tell: Callable[[str], None], *, bar: bool = False) -> SparkSession:
    """Spark, with its own progress bar for jobs that are long and alone."""
    settings: dict[str, str] = {}
    for text in arguments.conf:
        key, equals, value = text.partition("=")
        if not equals or not key.startswith("spark."):
            raise Refused(f"--conf {text}: not a setting of Spark like spark.driver.memory=4g", 2)
        settings[key] = value
    tell(f"starting Spark on {arguments.master or 'this machine'}")
    progress = bar and sys.stderr.isatty() and not arguments.quiet
    spark = make_session(arguments.master, progress=progress, settings=settings)
    if threading.current_thread() is threading.main_thread():
        _interrupt_quietly()
    return spark


def _interrupt_quietly() -> None:
    """Let Ctrl-C end the jobs, as Spark's own handler does, without the tracebacks that its bridge to Java logs."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or isinstance(handler, _Interrupt):
        return
    signal.signal(signal.SIGINT, _Interrupt(handler))


class _Interrupt:
    def __init__(self, of_spark: Callable[[int, FrameType | None], Any]) -> None:
        self._of_spark = of_spark

    def __call__(self, number: int, frame: FrameType | None) -> None:
        logging.disable(logging.CRITICAL)
        # The bridge may be in the middle of a call and then cannot cancel anything: the end of the process does.
        with suppress(Exception):
            self._of_spark(number, frame)
        raise KeyboardInterrupt


def has_dumps(arguments: argparse.Namespace) -> bool:
    """Were dumps added to the tables? Those that are reached through Spark need its session to tell."""
    root = arguments.tables
    if is_uri(root):
        session(arguments, teller(arguments))
    return (place(root) / "raw" / "_dumps").exists()


def need_dumps(arguments: argparse.Namespace) -> str:
    """The root of the tables, with dumps in it."""
    root: str = arguments.tables
    if not has_dumps(arguments):
        raise Refused(f"no tables in {root}: run `libremq pipeline ingest DUMP... --tables {root}` first")
    return root
