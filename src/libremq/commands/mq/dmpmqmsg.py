"""The `libremq dmpmqmsg` command: copy or move messages between queues and files. `load` and `unload` are parts of it.

Exit codes: 0 all was copied, 10 it stopped on the way (how far it came is told, and how to go on), 20 nothing was done.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, BinaryIO

from libremq.client.options import ID_BYTES
from libremq.commands.command_connection import connect
from libremq.commands.output import Progress
from libremq.commands.queue_manager_folders import Refused, add_data_argument, complain, guarded, tell
from libremq.commands.samples.sample_program import ask_password
from libremq.mqi import constants as C
from libremq.mqi.constant_names import name_of
from libremq.mqi.errors import MQError
from libremq.tools.message_copy import (
    BATCH,
    CONTEXTS,
    Copied,
    CopyError,
    FileSink,
    FileSource,
    NoSink,
    NumberedFileSink,
    QueueSink,
    QueueSource,
    Selection,
    Sink,
    Source,
    copy,
    parse_range,
)
from libremq.tools.message_file import FORMS, FiledMessage, FileOptions

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

COMMAND = "dmpmqmsg"
OK, STOPPED, NOTHING_DONE = 0, 10, 20
STANDARD_FILE = "-"
_STANDARD_NAMES = ("stdin", "stdout")
_DISPLAY = "aAHinNpstTw"
_SHOWN = {
    "a": "add what is printable beside hexadecimal data",
    "A": "data as text where it is text (p and t mean the same)",
    "H": "no lines at the head of the file",
    "n": "no number after the N of a message (i: with it)",
    "N": "no descriptors, only data",
    "s": "only a line about each message and a summary",
    "T": "how long a message has been on the queue",
    "wN": "N bytes of data a line",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", default="", help="the queue manager; else the default one")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("-i", metavar="QUEUE", dest="browse", help="the messages of this queue, which stay on it")
    source.add_argument("-I", metavar="QUEUE", dest="get", help="the messages of this queue, which leave it")
    parser.add_argument("-o", metavar="QUEUE", dest="put", help="put the messages on this queue")
    file = parser.add_mutually_exclusive_group()
    file.add_argument(
        "-f",
        metavar="FILE",
        dest="file",
        help="the file, to read without -i or -I, else to write; -, stdin and stdout are pipes",
    )
    file.add_argument("-F", metavar="FILE", dest="overwrite", help="the same; a file that is there is overwritten")
    parser.add_argument(
        "-a", dest="append", metavar="a|b", choices=("a", "b"), help="a: append to the file; b: no effect"
    )
    parser.add_argument(
        "-p", action="store_true", dest="purge", help="with -i: the messages leave the queue, as with -I"
    )
    add_common_arguments(parser)
    add_data_argument(parser, "-md")
    parser.epilog = (
        "dmpmqmsg -m QM1 -i ORDERS -f orders.txt copies to a file, dmpmqmsg -m QM1 -f orders.txt -o ORDERS back, "
        "dmpmqmsg -m QM1 -I ORDERS -o OTHER moves. %n in the name of a file to write: one file a message."
    )


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """What load and unload know too. -h is no help here, as in MQ; --help is."""
    parser.add_argument(
        "-c", action="store_true", dest="client", help="a client connection, as MQSERVER or a CCDT says"
    )
    parser.add_argument("-u", metavar="USER", dest="user", default="", help="connect as this user; asks for a password")
    parser.add_argument("-r", metavar="RANGE", dest="range", type=_range, help="of the source: 3..7, 3#5, #5 or 3")
    parser.add_argument(
        "-g",
        metavar="ID",
        dest="ids",
        action="append",
        default=[],
        type=_identifier,
        help="only with this id: m, c or g (message, correlation, group) and the text; xm, xc, xg and hexadecimal",
    )
    parser.add_argument(
        "-T",
        metavar="MIN[,MAX]",
        dest="age",
        type=_age,
        help="at least MIN and at most MAX minutes old; ,60 is younger",
    )
    parser.add_argument(
        "-s", metavar="TEXT", dest="holds", action="append", default=[], help="data has this text in it"
    )
    parser.add_argument(
        "-S", metavar="HEX", dest="holds_hex", action="append", default=[], type=_hex, help="or these bytes"
    )
    parser.add_argument(
        "-e", metavar="TEXT", dest="lacks", action="append", default=[], help="data does not have this text"
    )
    parser.add_argument(
        "-t", metavar="N", dest="batch", type=_positive, default=BATCH, help=f"messages a commit; {BATCH}"
    )
    parser.add_argument("-w", metavar="MS", dest="wait", type=_positive, help="wait so long for more messages")
    parser.add_argument(
        "-P", metavar="CCSID", dest="ccsid", type=_positive, default=0, help="convert text to this CCSID"
    )
    parser.add_argument(
        "-C",
        dest="context",
        choices=(*CONTEXTS, "a", "i"),
        default="A",
        help="context of what is put: A or a as it was (default), I or i identity only, d this user, n none",
    )
    parser.add_argument("-D", metavar="MS", dest="delay", type=_delay, help="pause between messages; r100 is up to 100")
    parser.add_argument("-h", action="store_true", dest="strip", help="take off dead-letter headers")
    shown = "; ".join(f"{letter}: {text}" for letter, text in _SHOWN.items())
    parser.add_argument("-d", metavar="LETTERS", dest="display", action="append", default=[], type=_display, help=shown)
    parser.add_argument("--form", choices=FORMS, default="text", help="of a file that is written; seen when it is read")
    parser.add_argument("-q", action="store_true", dest="quiet", help="say nothing but errors")


# Values


def _range(text: str) -> tuple[int, int | None]:
    try:
        return parse_range(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _identifier(text: str) -> tuple[str, bytes]:
    kind, value = (text[:2], text[2:]) if text.startswith("x") else (text[:1], text[1:])
    try:
        data = bytes.fromhex(value) if kind.startswith("x") else value.encode()
    except ValueError:
        data = b""
    if kind not in ("m", "c", "g", "xm", "xc", "xg") or not 0 < len(data) <= ID_BYTES:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no id: write cTEXT, or xcHEX; with m and g likewise")
    return kind[-1], data.ljust(ID_BYTES, b"\0")


def _age(text: str) -> tuple[float | None, float | None]:
    low, comma, high = text.partition(",")
    numbers = all(part.isascii() and part.isdigit() and len(part) < 9 for part in (low, high) if part)
    if not numbers or text in ("", ","):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no age in minutes: write 60, 60,120 or ,60")
    return (int(low) * 60.0 if low else None), (int(high) * 60.0 if comma and high else None)


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not hexadecimal") from None


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number from 1 to 999999999")
    return int(text)


def _delay(text: str) -> tuple[bool, int]:
    """Whether it is random, and milliseconds."""
    return text[:1] in ("r", "-"), _positive(text.lstrip("r-"))


def _display(text: str) -> str:
    letters = text.rstrip("0123456789")
    unknown = [letter for letter in letters if letter not in _DISPLAY]
    if unknown or ("w" in text) != (letters != text) or (letters != text and not letters.endswith("w")):
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: known are aAHinNpstT, and w with a number at the end")
    return text


def run(arguments: argparse.Namespace) -> int:
    return exit_code(guarded(COMMAND, arguments, lambda: _run(arguments)))


def exit_code(code: int) -> int:
    return code if code in (OK, STOPPED, NOTHING_DONE) else NOTHING_DONE


def _run(arguments: argparse.Namespace) -> int:
    arguments.file = arguments.overwrite if arguments.overwrite is not None else arguments.file
    if arguments.file in _STANDARD_NAMES:
        arguments.file = STANDARD_FILE
    if arguments.purge and not arguments.browse:
        raise Refused(NOTHING_DONE, "-p goes with -i")
    if arguments.purge:
        arguments.get, arguments.browse = arguments.browse, None
    queue = arguments.browse or arguments.get
    if not queue and (not arguments.file or not arguments.put):
        raise Refused(NOTHING_DONE, "name what to copy: -i or -I a queue, or -f a file together with -o")
    if queue and arguments.put and arguments.file:
        raise Refused(NOTHING_DONE, "messages go to a queue (-o) or to a file (-f), not to both")
    if queue and queue == arguments.put and not arguments.range:
        raise Refused(NOTHING_DONE, f"from {queue} to {queue} has no end; say how many with -r #N")
    return perform(COMMAND, arguments)


def perform(command: str, arguments: argparse.Namespace) -> int:
    """Copy as the arguments say: `browse`, `get`, `put`, `file`, `overwrite`, `append` and the common ones."""
    password = ask_password(sys.stderr) if arguments.user else None
    with ExitStack() as stack:
        manager = stack.enter_context(connect(arguments, command, user=arguments.user, password=password))
        if arguments.client and manager.url.startswith(("local:", "embedded:")):
            raise Refused(NOTHING_DONE, "-c needs a client channel: set MQSERVER or MQCCDTURL, or give a URL with -m")
        source = _source(arguments, manager, stack)
        sink = _sink(arguments, manager, stack, source)
        summary = "s" in "".join(arguments.display)
        bar = stack.enter_context(Progress("Copying messages", _expected(manager, arguments)))
        each = _each(arguments, bar, summary)
        try:
            done = copy(source, sink, batch=arguments.batch, each=each, back_out=lambda: _back_out(manager))
        except CopyError as stopped:
            code = _stopped(command, stopped)
            with suppress(OSError):
                stack.close()  # on a full disk a file cannot be closed either, and that has been said
            return code
    if not arguments.quiet:
        _report(arguments, done)
    return OK


def _stopped(command: str, stopped: CopyError) -> int:
    cause = stopped.cause
    text = (cause.detail if isinstance(cause, MQError) else "") or str(cause)
    reason = f"{name_of('MQRC', cause.reason)} ({cause.reason}): " if isinstance(cause, MQError) else ""
    complain(
        command,
        f"{stopped.done} messages were copied, then it stopped: {reason}{text}. Correct that, and go on with the rest.",
    )
    return STOPPED if stopped.done else NOTHING_DONE


def _back_out(manager: QueueManager) -> None:
    try:
        manager.mqi.MQBACK()
    except MQError:
        pass  # the connection is gone, and with it the unit of work


def _report(arguments: argparse.Namespace, done: Copied) -> None:
    """To standard error if standard output has the messages."""
    to_pipe = arguments.file == STANDARD_FILE and (arguments.browse or arguments.get)
    print(f"{done.messages} messages, {done.data_bytes} bytes.", file=sys.stderr if to_pipe else sys.stdout)


def _selection(arguments: argparse.Namespace) -> Selection:
    first, last = arguments.range or (1, None)
    ids = dict(arguments.ids)
    older, younger = arguments.age or (None, None)
    return Selection(
        first,
        last,
        ids.get("m"),
        ids.get("c"),
        ids.get("g"),
        older,
        younger,
        tuple(text.encode() for text in arguments.holds) + tuple(arguments.holds_hex),
        tuple(text.encode() for text in arguments.lacks),
    )


def _source(arguments: argparse.Namespace, manager: QueueManager, stack: ExitStack) -> Source:
    queue = arguments.browse or arguments.get
    if queue:
        wait_s = None if arguments.wait is None else arguments.wait / 1000
        selection = _selection(arguments)
        return QueueSource(manager, queue, selection, take=bool(arguments.get), wait_s=wait_s, ccsid=arguments.ccsid)
    if arguments.file == STANDARD_FILE:
        return FileSource(sys.stdin.buffer, _selection(arguments))
    return FileSource(stack.enter_context(open(os.path.expanduser(arguments.file), "rb")), _selection(arguments))


def _sink(arguments: argparse.Namespace, manager: QueueManager, stack: ExitStack, source: Source) -> Sink:
    letters = "".join(arguments.display)
    if arguments.put:
        context = {"a": "A", "i": "I"}.get(arguments.context, arguments.context)
        handle = source.handle if isinstance(source, QueueSource) else 0
        return QueueSink(manager, arguments.put, context=context, strip_headers=arguments.strip, read_through=handle)
    if not arguments.file:
        if "s" in letters and arguments.get:
            # A way of showing things must not be what throws messages away
            raise Refused(NOTHING_DONE, "-ds keeps no messages, so it goes with -i; CLEAR QLOCAL empties a queue")
        if "s" in letters:
            return NoSink()
        arguments.file = STANDARD_FILE
    options = FileOptions(
        arguments.form,
        text=any(letter in letters for letter in "Apt"),
        columns="a" in letters,
        header="H" not in letters,
        numbers="n" not in letters,
        descriptor="N" not in letters,
        width=int("".join(one for one in letters if one.isdigit()) or 64) or 64,
    )
    queue = arguments.browse or arguments.get
    told = f"queue {queue} of queue manager {manager.name}"
    if arguments.file == STANDARD_FILE:
        return FileSink(sys.stdout.buffer, options, told, ages="T" in letters)
    if "%n" in arguments.file:
        return NumberedFileSink(
            os.path.expanduser(arguments.file), lambda path: _opened(arguments, path), options, told
        )
    file = stack.enter_context(_opened(arguments, os.path.expanduser(arguments.file)))
    return FileSink(file, options, told, ages="T" in letters)


def _opened(arguments: argparse.Namespace, path: str) -> BinaryIO:
    """A file to write, for its owner only: messages are nobody else's business."""
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
    if arguments.append == "a":
        flags |= os.O_APPEND
    elif arguments.overwrite is not None:
        flags |= os.O_TRUNC
    else:
        flags |= os.O_EXCL
    try:
        fd = os.open(path, flags, 0o600)
    except FileExistsError:
        raise Refused(NOTHING_DONE, f"{path} is there already: -F overwrites it, -a a appends to it") from None
    return os.fdopen(fd, "ab" if arguments.append == "a" else "wb")


def _expected(manager: QueueManager, arguments: argparse.Namespace) -> int | None:
    """How many messages there may be, for a bar."""
    queue = arguments.browse or arguments.get
    if not queue:
        return None
    try:
        with manager.queue(queue) as found:
            return int(found.inquire(C.MQIA_CURRENT_Q_DEPTH)[0])
    except MQError:
        return None


def _each(arguments: argparse.Namespace, bar: Progress, summary: bool) -> Callable[[FiledMessage, int], None]:
    def each(message: FiledMessage, number: int) -> None:
        bar.advance()
        if summary:
            md = message.md
            with bar.hidden():
                tell(f"{number:>6} {md.MsgId.hex().upper()} {md.Format.strip():<8} {len(message.data):>9} bytes")
        if arguments.delay is not None:
            is_random, most = arguments.delay
            time.sleep((random.random() if is_random else 1.0) * most / 1000)

    return each
