"""The `amqsblst` sample: put or get many messages as fast as it goes, and say how fast that was.

Unlike the other samples it takes the queue manager first. Times are those of a call, with the commit that follows it,
kept in a histogram whose steps are an eighth: memory does not grow with the number of messages.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from libremq.commands.samples.sample_program import (
    USAGE_CODE,
    UTF8,
    Failed,
    Sample,
    add_wait_argument,
    line,
    lines,
    positive_number,
    wait_options,
)
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, NoMessageAvailable
from libremq.mqi.structs import MQMD, MQOD, MQPMO

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.client.verbs import MQI

_RANDOM_BYTES_MAX = 262_144
_SIZE_BYTES_MAX = 104_857_600
_COUNT = 100
_SIZE_BYTES = 1024
_PROGRESS_S = 1.0
_STEPS = 6  # of the histogram in a factor of two
_FILL = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ID_BYTES = 24
_QUIESCING = C.MQOO_FAIL_IF_QUIESCING


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", nargs="?", default="", metavar="QM", help="the queue manager, by name or URL")
    parser.add_argument("queue", nargs="?", default="", metavar="QUEUE", help="the queue to read from or write to")
    parser.add_argument("-W", action="store_true", dest="write", help="write messages (with -R: before reading)")
    parser.add_argument("-R", action="store_true", dest="read", help="read messages")
    parser.add_argument(
        "-s",
        type=_sizes,
        default=(_SIZE_BYTES,),
        metavar="SIZES",
        dest="sizes",
        help=f"sizes of messages to write, in turn: 100,2048; or random, 1 to {_RANDOM_BYTES_MAX}; by default "
        f"{_SIZE_BYTES}",
    )
    parser.add_argument(
        "-c",
        type=positive_number,
        metavar="COUNT",
        dest="count",
        help=f"number of messages; by default {_COUNT} are written, and all there are read",
    )
    parser.add_argument("-C", type=_identifier, metavar="CORRELID", dest="correlid", help="correlation id to use")
    parser.add_argument("-u", type=positive_number, metavar="SIZE", dest="unit", help="messages in a unit of work")
    persistence = parser.add_mutually_exclusive_group()
    persistence.add_argument(
        "-p", action="store_const", const=C.MQPER_PERSISTENT, dest="persistence", help="persistent messages"
    )
    persistence.add_argument(
        "-n", action="store_const", const=C.MQPER_NOT_PERSISTENT, dest="persistence", help="non-persistent messages"
    )
    add_wait_argument(parser, 0.0, "how long to wait for a message to read; by default 0")
    parser.add_argument("-v", action="store_true", dest="verbose", help="progress each second, and times of calls")


def _sizes(text: str) -> tuple[int, ...]:
    """Sizes in bytes; none stands for random ones."""
    if text == "random":
        return ()
    sizes = tuple(positive_number(word) for word in text.split(","))
    if max(sizes) > _SIZE_BYTES_MAX:
        raise argparse.ArgumentTypeError(f"no message has more than {_SIZE_BYTES_MAX} bytes")
    return sizes


def _identifier(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > _ID_BYTES:
        raise argparse.ArgumentTypeError(f"a correlation id has at most {_ID_BYTES} bytes, not {len(data)}")
    return data.ljust(_ID_BYTES, b"\0")


def run(arguments: argparse.Namespace) -> int:
    sample = Sample("amqsblst", arguments, "welcome to blast")
    if arguments.queue and not (arguments.write or arguments.read):
        lines(("welcome to blast", "nothing to do: -W writes messages, -R reads them"))
        return USAGE_CODE
    return sample.run(lambda qm: _blast(sample, arguments, qm))


def _blast(sample: Sample, arguments: argparse.Namespace, qm: QueueManager) -> None:
    queue = arguments.queue
    unit = f" in units of work of {arguments.unit}" if arguments.unit else ""
    if arguments.write:
        count = arguments.count or _COUNT
        sizes = ",".join(map(str, arguments.sizes)) or f"1 to {_RANDOM_BYTES_MAX}"
        blast = _Blast(sample, qm.mqi, "MQPUT", "written", count, arguments)
        with sample.opened(qm.mqi, MQOD(ObjectName=queue), C.MQOO_OUTPUT | _QUIESCING, "output") as hobj:
            writer = _Writer(arguments, qm.mqi, hobj)
            blast.go(f"writing {count} messages of {sizes} bytes to {queue}{unit}", writer.put)
        if not arguments.read:
            sample.note_loss(qm, writer.md)
    if arguments.read:
        blast = _Blast(sample, qm.mqi, "MQGET", "read", arguments.count, arguments)
        with sample.opened(qm.mqi, MQOD(ObjectName=queue), C.MQOO_INPUT_SHARED | _QUIESCING, "input") as hobj:
            blast.go(
                f"reading {arguments.count or 'all'} messages from {queue}{unit}", _reader(arguments, qm.mqi, hobj)
            )


_Step = Callable[[], int | None]
"""Puts or gets one message and returns its length; None if there is none to get."""


class _Writer:
    """Puts messages. Each begins with its number, as far as it has room for that."""

    def __init__(self, arguments: argparse.Namespace, mqi: MQI, hobj: int) -> None:
        self._mqi = mqi
        self._hobj = hobj
        self._sizes = itertools.cycle(arguments.sizes) if arguments.sizes else _random_sizes()
        self._fill = _FILL * (max(arguments.sizes, default=_RANDOM_BYTES_MAX) // len(_FILL) + 1)
        self._numbers = itertools.count(1)
        self._options = C.MQPMO_FAIL_IF_QUIESCING | (C.MQPMO_SYNCPOINT if arguments.unit else C.MQPMO_NO_SYNCPOINT)
        self._persistence = C.MQPER_PERSISTENCE_AS_Q_DEF if arguments.persistence is None else arguments.persistence
        self._correlid = arguments.correlid or C.MQCI_NONE
        self.md = MQMD()
        """The descriptor of the last message."""

    def put(self) -> int:
        size = next(self._sizes)
        head = b"%d " % next(self._numbers)
        data = head[:size] + self._fill[: max(size - len(head), 0)]
        self.md = MQMD(
            Format=C.MQFMT_STRING, CodedCharSetId=UTF8, Persistence=self._persistence, CorrelId=self._correlid
        )
        self._mqi.MQPUT(self._hobj, self.md, MQPMO(Options=self._options), data)
        return size


def _reader(arguments: argparse.Namespace, mqi: MQI, hobj: int) -> _Step:
    options = C.MQGMO_FAIL_IF_QUIESCING | (C.MQGMO_SYNCPOINT if arguments.unit else C.MQGMO_NO_SYNCPOINT)
    correlid = arguments.correlid or C.MQCI_NONE

    def get() -> int | None:
        try:
            return mqi.MQGET(hobj, MQMD(CorrelId=correlid), wait_options(arguments.wait, options)).length
        except NoMessageAvailable:
            return None

    return get


def _random_sizes() -> Iterator[int]:
    while True:
        yield random.randint(1, _RANDOM_BYTES_MAX)


class _Blast:
    """One direction: its units of work and its figures."""

    def __init__(
        self, sample: Sample, mqi: MQI, verb: str, done: str, limit: int | None, arguments: argparse.Namespace
    ) -> None:
        self._sample = sample
        self._mqi = mqi
        self._verb = verb
        self._done_word = done
        self._limit = limit
        self._unit: int = arguments.unit or 0
        self._verbose: bool = arguments.verbose
        self._done = self._bytes = 0  # what is certain: committed, or outside syncpoint
        self._times: Counter[int] = Counter()
        self._slowest_s = 0.0
        self._began = time.perf_counter()

    def go(self, plan: str, step: _Step) -> None:
        self._calling = self._verb
        try:
            line(plan)
            self._began = time.perf_counter()
            self._loop(step)
        except MQError as error:
            code = self._sample.told(self._calling, error)
            self._summary()
            raise Failed(code) from error
        except KeyboardInterrupt:
            self._summary()
            raise
        self._summary()

    def _loop(self, step: _Step) -> None:
        limit, unit = self._limit, self._unit
        pending = pending_bytes = 0
        clock = time.perf_counter
        told = self._began
        for number in itertools.count(1):
            began = clock()
            length = step() if limit is None or number <= limit else None
            if length is not None:
                pending += 1
                pending_bytes += length
            if not unit or pending == unit or length is None:
                if unit and pending:
                    self._calling = "MQCMIT"
                    self._mqi.MQCMIT()
                    self._calling = self._verb
                self._done += pending
                self._bytes += pending_bytes
                pending = pending_bytes = 0
            if length is None:
                return
            now = clock()
            self._count_time(now - began)
            if self._verbose and now - told >= _PROGRESS_S:
                told = now
                line(f"  {self._figures(now)}")

    def _count_time(self, took: float) -> None:
        self._times[math.ceil(math.log2(max(took, 1e-9)) * _STEPS)] += 1
        self._slowest_s = max(self._slowest_s, took)

    def _figures(self, now: float) -> str:
        took = max(now - self._began, 1e-9)
        return (
            f"{self._done} messages {self._done_word}, {self._bytes} bytes, in {took:.3f} s: "
            f"{self._done / took:.0f} messages/s, {self._bytes / took / 2**20:.2f} MiB/s"
        )

    def _summary(self) -> None:
        line(self._figures(time.perf_counter()))
        if self._verbose and self._times:
            middle, high = (self._percentile(share) for share in (0.5, 0.99))
            line(
                f"  {self._verb}: half within {middle * 1e3:.3f} ms, 99% within {high * 1e3:.3f} ms, "
                f"slowest {self._slowest_s * 1e3:.3f} ms"
            )

    def _percentile(self, share: float) -> float:
        """Seconds that this share of calls needed at most."""
        left = share * self._times.total()
        for step in sorted(self._times):
            left -= self._times[step]
            if left <= 0:
                return min(math.exp2(step / _STEPS), self._slowest_s)
        return self._slowest_s
