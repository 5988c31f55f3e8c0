"""The `libremq dspmqrte` command: the route of a message through the queue managers of a network.

It puts a trace-route message, waits for what the channels on the way tell of it, and shows that; with -i it shows what
a queue holds about a message that was traced earlier.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from libremq.client import connecting
from libremq.commands.command_connection import connect
from libremq.commands.output import add_json_argument, show_json
from libremq.commands.queue_manager_folders import Refused, add_data_argument, guarded, tell
from libremq.commands.samples.sample_program import ask_password
from libremq.commands.shared.route_display import ALL, OPTIONS, OUTLINE, as_json, details, feedback_name, summary
from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.trace_route import TraceRoute
from libremq.tools.route_tracing import Findings, RouteRequest, RouteTracer, find_earlier

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

COMMAND = "dspmqrte"
ARGUMENTS, FAILED = 10, 20
_EXPIRY_S = 60
_PATIENCE_S = 60
_MOST = 999_999_999
_REPORTS = {
    "activity": C.MQRO_ACTIVITY,
    "coa": C.MQRO_COA,
    "cod": C.MQRO_COD,
    "exception": C.MQRO_EXCEPTION,
    "expiration": C.MQRO_EXPIRATION,
    "discard": C.MQRO_DISCARD_MSG,
}
_DETAILS = {"low": C.MQROUTE_DETAIL_LOW, "medium": C.MQROUTE_DETAIL_MEDIUM, "high": C.MQROUTE_DETAIL_HIGH}
_PERSISTENCE = {
    "yes": C.MQPER_PERSISTENT, "no": C.MQPER_NOT_PERSISTENT, "q": C.MQPER_PERSISTENCE_AS_Q_DEF,
}  # fmt: skip
_DELIVERY = {"yes": C.MQROUTE_DELIVER_YES, "no": C.MQROUTE_DELIVER_NO}
_FORWARDING = {"all": C.MQROUTE_FORWARD_ALL, "supported": C.MQROUTE_FORWARD_IF_SUPPORTED}
_VIEWS = ("all", "none", "outline", "summary")


def _number(low: int, word: str = "", value: int = 0, high: int = _MOST) -> Callable[[str], int]:
    def convert(text: str) -> int:
        if word and text.upper() == word:
            return value
        if not (text.isdecimal() and text.isascii() and len(text) < 10 and low <= int(text) <= high):
            choice = f", or {word}" if word else ""
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number from {low} to {high}{choice}")
        return int(text)

    return convert


def _message_id(text: str) -> bytes:
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != C.MQ_MSG_ID_LENGTH:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no message id of 48 hexadecimal digits")
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "-q",
        metavar="QUEUE",
        dest="queue",
        required=True,
        help="the target; with -i the queue that has the information",
    )
    add("-m", metavar="QM", dest="qmgr", help="the queue manager to connect to; else the default one")
    add("-c", action="store_true", dest="client", help="connect as a client, to MQSERVER or by a CCDT")
    add("-u", metavar="USER", dest="user", default="", help="connect as this user; asks for a password")
    add("-i", metavar="ID", dest="earlier", type=_message_id, help="show an earlier trace, by the id of its message")
    message = parser.add_argument_group("the message")
    add = message.add_argument
    add("-qm", metavar="QM", dest="target_qmgr", default="", help="the queue manager of the target")
    add("-ac", action="store_true", dest="accumulate", help="the message carries its activities along")
    add("-ar", action="store_true", dest="reply", help="a reply with all of them is made at its end; needs -ac")
    add("-d", choices=tuple(_DELIVERY), dest="deliver", default="no", help="deliver the message to the target; else no")
    add(
        "-f",
        choices=tuple(_FORWARDING),
        dest="forward",
        default="supported",
        help="through which queue managers it goes",
    )
    add("-l", choices=tuple(_PERSISTENCE), dest="persistence", default="no", help="persistence; q: as the queue has it")
    add("-p", metavar="PRIORITY", dest="priority", default=C.MQPRI_PRIORITY_AS_Q_DEF, help="0 to 9",
        type=_number(0, "MQPRI_PRIORITY_AS_Q_DEF", C.MQPRI_PRIORITY_AS_Q_DEF, 9))  # fmt: skip
    add("-o", action="store_true", dest="not_fixed", help="do not bind the queue to one of several of the name")
    add("-ro", nargs="+", metavar="REPORT", dest="reports", action="extend",
        help=f"reports: {', '.join(_REPORTS)}, none; by default activity, discard")  # fmt: skip
    add("-rq", metavar="QUEUE", dest="reply_queue", default="", help="for what comes back; else a temporary queue")
    add("-rqm", metavar="QM", dest="reply_qmgr", default="", help="the queue manager of the reply queue; needs -rq")
    add("-s", metavar="ACTIVITIES", dest="activities", default=0, help="the most activities before it is discarded",
        type=_number(1, "MQROUTE_UNLIMITED_ACTIVITIES"))  # fmt: skip
    add("-t", choices=tuple(_DETAILS), dest="detail", default="medium", help="whose activities are recorded")
    add("-xs", metavar="SECONDS", dest="expiry", type=_number(1), default=_EXPIRY_S, help="expiry; by default 60")
    add("-xp", choices=("yes", "no"), dest="pass_expiry", default="no", help="reports expire with the message")
    display = parser.add_argument_group("the display")
    add = display.add_argument
    add("-n", action="store_true", dest="quiet_put", help="put the message, show nothing of what comes back")
    add("-b", action="store_true", dest="browse", help="with -i: leave the messages on the queue")
    add("-v", nargs="+", metavar="VIEW", dest="view", action="extend",
        help=f"{', '.join(_VIEWS)}, or some of {', '.join(OPTIONS)}; by default summary")  # fmt: skip
    add("-w", metavar="SECONDS", dest="wait", type=_number(0), help="how long to wait; else expiry and 60 s, with -i 0")
    add_json_argument(parser)
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    return code if code in (0, ARGUMENTS) else FAILED


def _run(arguments: argparse.Namespace) -> int:
    views = _checked(arguments)
    password = ask_password(sys.stderr) if arguments.user else None
    try:
        manager = _connected(arguments, password)
    except (MQError, OSError) as error:
        raise Refused(FAILED, amq(8668, arguments.qmgr or "", error)) from error
    with manager:
        if arguments.earlier is not None:
            return _show_earlier(arguments, manager, views)
        with RouteTracer(manager, _request(arguments)) as tracer:
            return _trace(arguments, tracer, views)


def _connected(arguments: argparse.Namespace, password: str | None) -> QueueManager:
    if arguments.client:
        url = connecting.url_for(arguments.qmgr or "")
        return connecting.connect(url, user=arguments.user or None, password=password, application=COMMAND)
    return connect(arguments, COMMAND, user=arguments.user, password=password)


def _words(given: list[str] | None, known: tuple[str, ...], flag: str) -> list[str] | None:
    """The words behind a flag, with commas or blanks between them."""
    if given is None:
        return None
    words = [word for value in given for word in value.lower().split(",") if word]
    for word in words:
        if word not in known:
            raise Refused(ARGUMENTS, f"{flag} does not know {word[:40]!r}: use {', '.join(known)}")
    return words


def _checked(arguments: argparse.Namespace) -> frozenset[str]:
    """What of the details is to be shown; empty for the summary. Refused if the arguments do not go together."""
    a = arguments
    a.view = _words(a.view, (*_VIEWS, *OPTIONS), "-v")
    a.reports = _words(a.reports, (*_REPORTS, "none"), "-ro")
    views = set(a.view or ("summary",))
    main = views & set(_VIEWS)
    wrong = ""
    if len(main) > 1 or (main - {"outline"} and views - main):
        wrong = "-v takes one of all, none and summary, or outline and further options"
    elif {"message", "msgdelta"} <= views:
        wrong = "-v message and -v msgdelta exclude each other"
    elif a.earlier is None and a.browse:
        wrong = "-b needs -i"
    elif a.reply and not a.accumulate:
        wrong = "-ar needs -ac"
    elif a.reply_qmgr and not a.reply_queue:
        wrong = "-rqm needs -rq"
    elif a.reports and "none" in a.reports and len(set(a.reports)) > 1:
        wrong = "-ro none excludes other report options"
    if wrong:
        raise Refused(ARGUMENTS, wrong)
    request = _request(arguments)
    if not a.reply_queue and request.wants_answers and a.earlier is None:
        if a.quiet_put:
            raise Refused(ARGUMENTS, amq(8671, "-n leaves what comes back on it for later"))
        if a.persistence == "yes":
            raise Refused(ARGUMENTS, amq(8671, "-l yes needs one that is not temporary"))
    if "all" in main:
        return ALL
    return frozenset(views - main) | (OUTLINE if "outline" in main else frozenset())


def _request(arguments: argparse.Namespace) -> RouteRequest:
    a = arguments
    if a.reports is None:
        report = C.MQRO_ACTIVITY | C.MQRO_DISCARD_MSG
    else:
        report = sum(_REPORTS[word] for word in set(a.reports) if word in _REPORTS)
    if a.pass_expiry == "yes":
        report |= C.MQRO_PASS_DISCARD_AND_EXPIRY
    accumulate = C.MQROUTE_ACCUMULATE_NONE
    if a.accumulate:
        accumulate = C.MQROUTE_ACCUMULATE_AND_REPLY if a.reply else C.MQROUTE_ACCUMULATE_IN_MSG
    return RouteRequest(
        a.queue, a.target_qmgr,
        TraceRoute(
            detail=_DETAILS[a.detail], max_activities=a.activities, accumulate=accumulate,
            forward=_FORWARDING[a.forward], deliver=_DELIVERY[a.deliver],
        ),
        report, a.reply_queue, a.reply_qmgr, _PERSISTENCE[a.persistence], a.priority, a.expiry, a.not_fixed,
    )  # fmt: skip


# A trace


def _trace(arguments: argparse.Namespace, tracer: RouteTracer, views: frozenset[str]) -> int:
    request, silent = tracer.request, arguments.json
    say: Callable[[str], None] = (lambda text: None) if silent else tell
    shows = not arguments.quiet_put and "none" not in (arguments.view or ())
    try:
        place = tracer.resolve()
    except MQError as error:
        raise Refused(FAILED, amq(8664, request.queue, error)) from error
    if not place.is_remote and request.trace.deliver & C.MQROUTE_DELIVER_NO:
        say(amq(8661, place.queue, place.qmgr))
        if silent:
            show_json([])
        say(amq(8652))
        return 0
    try:
        tracer.open_replies(read=not arguments.quiet_put and request.reply_qmgr in ("", place.qmgr))
    except MQError as error:
        raise Refused(FAILED, amq(8665, request.reply_queue, error)) from error
    try:
        tracer.put()
    except MQError as error:
        raise Refused(FAILED, amq(8658, place.queue, place.qmgr, error)) from error
    say(amq(8659, place.queue, place.qmgr))
    say(amq(8657, tracer.message_id.hex().upper()))
    if not shows:
        if silent:
            show_json({"message_id": tracer.message_id})
        say(amq(8652))
        return 0
    wait_s = arguments.wait if arguments.wait is not None else arguments.expiry + _PATIENCE_S
    if request.wants_answers:
        say(amq(8674))
    try:
        findings = tracer.collect(wait_s)
    except MQError as error:
        raise Refused(FAILED, amq(8672, request.reply_queue, error)) from error
    _show(arguments, findings, views)
    code = _tell_end(findings, request, wait_s, say)
    say(amq(8652))
    return code


def _show(arguments: argparse.Namespace, findings: Findings, views: frozenset[str]) -> None:
    if arguments.json:
        show_json(as_json(findings))
    elif "none" in (arguments.view or ()):
        return
    elif views:
        for line in details(findings, views):
            tell(line)
    else:
        for line in summary(findings):
            tell(line)


_ENDS = {
    C.MQFB_NOT_DELIVERED: 8654,
    C.MQFB_MAX_ACTIVITIES: 8683,
    C.MQFB_NOT_FORWARDED: 8685,
    C.MQFB_UNSUPPORTED_FORWARDING: 8686,
    C.MQFB_UNSUPPORTED_DELIVERY: 8686,
}


def _tell_end(findings: Findings, request: RouteRequest, wait_s: float, say: Callable[[str], None]) -> int:
    """Where the route ends, or where the message was seen last."""
    end = findings.end()
    if end is not None:
        if not end.feedback:
            say(amq(8662, end.resolved or end.queue, end.qmgr))
        elif end.feedback in _ENDS:
            say(amq(_ENDS[end.feedback], end.qmgr, feedback_name(end.feedback)))
        else:
            say(amq(8656, end.qmgr, feedback_name(end.feedback)))
        return 0
    if findings.feedback == C.MQFB_EXPIRATION:
        say(amq(8655, findings.feedback_qmgr))
        return 0
    if findings.feedback:
        say(amq(8656, findings.feedback_qmgr, feedback_name(findings.feedback)))
        return 0
    last = findings.last_put()
    where = f"queue '{last.resolved or last.queue}' of queue manager '{last.qmgr}'" if last else "nowhere"
    if not request.wants_answers:
        say(amq(8682, where))
        return 0
    say(amq(8688, wait_s, where))
    return FAILED


def _show_earlier(arguments: argparse.Namespace, manager: QueueManager, views: frozenset[str]) -> int:
    try:
        findings = find_earlier(
            manager, arguments.queue, arguments.earlier, browse=arguments.browse, wait_s=arguments.wait or 0.0
        )
    except MQError as error:
        raise Refused(FAILED, amq(8672, arguments.queue, error)) from error
    if not findings.activities and not findings.feedback:
        raise Refused(FAILED, amq(8687, arguments.queue, arguments.earlier.hex().upper()))
    _show(arguments, findings, views)
    if not arguments.json:
        if findings.end() is not None or findings.feedback:
            _tell_end(findings, _request(arguments), 0, tell)
        tell(amq(8652))
    return 0
