"""What the sample programs (amqsput, amqsget, ...) share: connecting, telling, failing.

The lines on standard output are those that scripts for MQ's samples look for; what a reason code means goes to
standard error beside them. Each line is written at once and as bytes, so that a reader sees it when it happens and a
message comes through as it is. A call that fails ends the sample with the low byte of its reason code, which is what
`exit(reason)` of a C program gives.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from libremq.client import connecting
from libremq.commands.queue_manager_folders import complain
from libremq.common.printable_text import printable, printable_bytes
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQOD

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.client.verbs import MQI

USAGE_CODE = 99
CLIENT_SAMPLES = (
    "amqsbcgc", "amqsblstc", "amqsechc", "amqsgbrc", "amqsgetc", "amqsinqc", "amqsputc", "amqsreqc", "amqssetc",
)  # fmt: skip
"""The samples that never look for a queue manager on this machine: each is the one of the name without the last c."""
USER_VARIABLE = "MQSAMP_USER_ID"
LINE_BYTES_MAX = 100 * 1024 * 1024  # no message is longer
UTF8 = 1208
_LATIN1 = 819  # every byte is a character of it


class Failed(Exception):
    """A call failed, and that was told; `code` is the exit code it leads to."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class NotConnected(Failed):
    """There is no connection, or not even the name of a queue: the sample ends without its last line."""


def exit_code(reason: int) -> int:
    """What a shell sees of `exit(reason)`, but never 0."""
    return reason % 256 or 1


# Arguments


def add_queue_arguments(parser: argparse.ArgumentParser, which: str) -> None:
    """Queue and queue manager. Without a queue the sample says so itself, as MQ's do."""
    parser.add_argument("queue", nargs="?", default="", metavar="QUEUE", help=which)
    parser.add_argument(
        "qmgr", nargs="?", default="", metavar="QM", help="the queue manager, by name or URL; else the default one"
    )


def options_number(text: str) -> int:
    """MQOO_* or MQCO_* as a number: 8208 or 0x2010."""
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value < 2**31:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no sum of options such as 8208 or 0x2010")
    return value


def positive_number(text: str) -> int:
    value = int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else 0
    if not value:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number from 1 to 999999999")
    return value


def seconds(text: str) -> float:
    """A wait interval; -1 waits for ever."""
    try:
        value = float(text)
    except ValueError:
        value = -2.0
    if value != -1 and not 0 <= value <= 999_999:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of seconds; -1 waits for ever")
    return value


def add_wait_argument(parser: argparse.ArgumentParser, default: float | None, text: str) -> None:
    parser.add_argument("-w", type=seconds, default=default, metavar="SECONDS", dest="wait", help=text)


def wait_options(wait: float, options: int) -> MQGMO:
    """Get options with a wait interval; 0 does not wait."""
    if not wait:
        return MQGMO(Options=options)
    return MQGMO(Options=options | C.MQGMO_WAIT, WaitInterval=C.MQWI_UNLIMITED if wait < 0 else int(wait * 1000))


# Standard input and output


def lines(texts: Iterable[str | bytes]) -> None:
    """Lines on standard output, as one write."""
    encoded = (printable_bytes(text) if isinstance(text, bytes) else printable(text).encode() for text in texts)
    data = b"".join(text + b"\n" for text in encoded)
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def line(text: str | bytes) -> None:
    lines((text,))


def input_lines() -> Iterator[bytes]:
    """The lines of standard input, up to an empty one or the end."""
    while data := _read_line().removesuffix(b"\n"):
        yield data


def _read_line() -> bytes:
    """One line of standard input, which may have been closed by whoever started this."""
    return b"" if sys.stdin is None else sys.stdin.buffer.readline(LINE_BYTES_MAX + 1)


def character_set(data: bytes) -> int:
    """The CCSID to send a line under: what is no UTF-8 is told to be ISO 8859-1, in which no byte gets lost."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return _LATIN1
    return UTF8


def ask_password(prompt_on: TextIO | None = None) -> str:
    """From the terminal without echo, else from the first line of standard input.

    `prompt_on`: where the question goes if that is no terminal, so that it is not in what somebody else will read.
    """
    prompt = "Enter password: "
    if sys.stdin is not None and sys.stdin.isatty():
        try:
            return getpass.getpass(prompt)
        except EOFError:
            line(b"")
            return ""
    print(prompt, end="", file=prompt_on, flush=True)
    data = _read_line()
    if prompt_on is None:
        line(b"")
    else:
        print(file=prompt_on, flush=True)
    return data.rstrip(b"\r\n").decode("utf-8", "backslashreplace")


# A sample


class Sample:
    """One run of a sample program: its first and last line, its connection, and its exit code."""

    def __init__(self, command: str, arguments: argparse.Namespace, start: str, end: str = "") -> None:
        self.command = getattr(arguments, "command", None) or command
        self.arguments = arguments
        self._start = start
        self._end = end

    def run(self, work: Callable[[QueueManager], None]) -> int:
        """Connect, do the work and disconnect; what goes wrong is told, and becomes the exit code."""
        from libremq.common.configuration import ConfigurationError
        from libremq.kernel.state.failure_reasons import FAILURES

        if self._start:
            line(self._start)
        code = 0
        try:
            self.need_queue()
            with self._connected() as qm:
                work(qm)
        except NotConnected as failed:
            return failed.code
        except Failed as failed:
            code = failed.code
        except BrokenPipeError:
            raise  # whoever read the output went away: no error of the queue manager
        except MQError as error:
            self.tell(error)
            code = exit_code(error.reason)
        except (ConfigurationError, ValueError, *FAILURES) as error:
            complain(self.command, error)
            return 1
        if self._end:
            line(self._end)
        return code

    def need_queue(self) -> None:
        if not self.arguments.queue:
            line("Required parameter missing - queue name")
            raise NotConnected(USAGE_CODE)

    @contextmanager
    def _connected(self) -> Iterator[QueueManager]:
        try:
            qm = self._connect(self.arguments.qmgr)
        except MQError as error:
            raise NotConnected(self.told("MQCONNX", error)) from error
        with qm:
            yield qm

    def _connect(self, name: str) -> QueueManager:
        user = os.environ.get(USER_VARIABLE) or None
        password = ask_password() if user else None
        url = connecting.url_for(name)
        if self.command in CLIENT_SAMPLES and url.startswith(("local:", "embedded:")):
            detail = f"{self.command} connects as a client: set MQSERVER or MQCCDTURL, or give a URL mq://host:port/QM"
            raise mq_error(C.MQRC_Q_MGR_NAME_ERROR, name, detail)
        return connecting.connect(url, user=user, password=password, application=self.command)

    # What goes wrong

    def told(self, verb: str, error: MQError) -> int:
        """Tell how a call ended; the exit code for it."""
        line(f"{verb} ended with reason code {error.reason}")
        self.tell(error)
        return exit_code(error.reason)

    def tell(self, error: MQError) -> None:
        with suppress(BrokenPipeError):  # nobody reads standard error; the reason code is on standard output
            complain(self.command, error)

    @contextmanager
    def verb(self, name: str, *then: str) -> Iterator[None]:
        """A call: if it fails that is told, with the lines that follow, and `Failed` is raised."""
        try:
            yield
        except MQError as error:
            code = self.told(name, error)
            lines(then)
            raise Failed(code) from error

    def warned(self, verb: str, reason: int, queue: str) -> None:
        """A call that ended with a warning, which is told too; the sample goes on."""
        if reason:
            self.told(verb, mq_error(reason, queue, comp_code=C.MQCC_WARNING))

    def note_loss(self, qm: QueueManager, md: MQMD) -> None:
        """A put message that is gone when this command ends, because the queue manager ends with it."""
        if md.Persistence == C.MQPER_NOT_PERSISTENT and qm.url.startswith("embedded:"):
            complain(
                self.command,
                f"note: {qm.name} runs only as long as this command, and messages that are not persistent end with it. "
                "Start it with strmqm, or put on a queue with DEFPSIST(YES).",
            )

    @contextmanager
    def opened(self, mqi: MQI, od: MQOD, options: int, purpose: str, close_options: int = 0) -> Iterator[int]:
        """An open queue. After an error it is not closed as asked, but with the connection."""
        with self.verb("MQOPEN", f"unable to open queue for {purpose}"):
            hobj = mqi.MQOPEN(od, options)
        yield hobj
        with self.verb("MQCLOSE"):
            self.warned("MQCLOSE", mqi.MQCLOSE(hobj, close_options), od.ObjectName)
