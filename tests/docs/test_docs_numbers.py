"""Numbers that pages state and the code has: limits, defaults, intervals, sizes, counts. Neither moves alone.

A row is a phrase of its page, with `{}` for each number, and the values. The attributes of objects, qm.ini, reason
codes, PCF codes and the layouts of files have tests of their own, which compare whole tables.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import fields
from typing import Any

import pytest
from helper_docs import ROOT, prose_of, text_of
from soak import __main__ as soak_main
from soak.channels import __main__ as soak_channels
from soak.life import LONGEST_S
from soak.planted import BUGS

from helper_rows import over_rows
from libremq.admin import command_options, commands_channels
from libremq.aio import embedded as aio_embedded
from libremq.aio import sessions
from libremq.channels import answering, exits
from libremq.client import options, urls
from libremq.client.ccdt import ClientChannel
from libremq.client.reconnect import reconnect_attempts, reconnect_cursor, reconnect_recovery
from libremq.client.remote import remote_connection, request_bytes
from libremq.client.verbs import MQI
from libremq.commands.exit_codes import ExitCode
from libremq.commands.mq import dspmqrte, dspmqtrn, endmqm
from libremq.commands.own import tls_command
from libremq.commands.samples import amqsbcg, amqsblst, amqsget, amqsreq, request_server, sample_program
from libremq.commands.shared import authority_commands
from libremq.common import ccsid, silence
from libremq.common.configuration import ErrorLogSettings, TcpSettings
from libremq.common.names import socket_paths
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attributes import Attribute
from libremq.kernel.properties import selector
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.verbs import putting
from libremq.mqi import constants as C
from libremq.mqi.structs import MQTMC2
from libremq.mqi.xid import XID_BYTES_MAX
from libremq.server.admission import admission_decision
from libremq.server.diagnostics import error_log, first_failure_reports, repeated_messages
from libremq.server.net import (
    client_link,
    conversation,
    dialing,
    event_loop,
    limits,
    socket_options,
    turn_budget,
    unfinished_flows,
)
from libremq.server.process import control_socket, controller, server_process, services, start_options
from libremq.store import handle_file, queue_file, reserve, space_map, stored_message
from libremq.store.queue_store import StoreLimits
from libremq.tools import dead_letter_rules, message_copy, message_file, route_tracing
from libremq.wire import calls, protocol, segments
from libremq.wire.protocol import Status

KIB, MIB = 1 << 10, 1 << 20
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
EVENT_LOOP = event_loop.EventLoopLimits()
TLS = argparse.ArgumentParser()
tls_command.add_arguments(TLS)
FIRST_PAUSE_MS = reconnect_attempts.FIRST_PAUSE_S * 1000
CLIENT = urls.ClientAddress("mq", "QM1")
TMC2_BYTES = len(MQTMC2(Version="   2").pack())
VERBS = {name for name in dir(MQI) if name.startswith("MQ")} - {"MQRR", "MQSUB", "MQSUBRQ"}


def default(kind: type, name: str) -> float:
    """The default of a field of a dataclass."""
    found: Any = next(field.default for field in fields(kind) if field.name == name)
    return float(found)


def attribute(kind: str, keyword: str) -> Attribute:
    return next(one for one in TABLES[kind] if one.keyword == keyword)


NUMBERS: dict[str, list[tuple[str, *tuple[float, ...]]]] = {
    "README.md": [
        ("plants {} known bugs", len(BUGS)),
        ("The verbs, all {} of them", len(VERBS)),
        ("`make soak` kills a working queue manager {} times", soak_main._KILLS),
    ],
    "docs/concepts.md": [
        ("by **priority** ({} first)", putting.MAX_PRIORITY),
    ],
    "docs/operating.md": [
        ("pauses that double up to {} seconds", services.PAUSE_LONGEST_S),
        ("fails more than {} times in a minute", services.FAILURES_MAX),
        ("stanza `TCP` in [qm.ini](reference/qm-ini.md), {}.", TcpSettings().port),
        ("it is sent SIGTERM, and SIGKILL {} seconds later", endmqm._TERM_S),
        ("the other way round the exit code is {}.", ExitCode.STOPPING),
        ("is 0 after an end that was asked for, {} after a failure", controller.FAILED),
        ("`ErrorLogSize` ({} MiB) it becomes 02", ErrorLogSettings().file_bytes_max / MIB),
        ("More than {} entries with one", repeated_messages.SAME_MAX),
        ("of [qm.ini](reference/qm-ini.md), {}, at most half", TcpSettings().pending_max),
        ("`MaxPendingPerAddress`, {} of one address", TcpSettings().pending_per_address_max),
        ("Each has {} seconds to log in", EVENT_LOOP.handshake_s),
        ("may send {} flows and {} KiB", turn_budget.EARLY_FLOWS_MAX, turn_budget.EARLY_BYTES_MAX / KIB),
        ("a flow that has begun | {} seconds", EVENT_LOOP.flow_s),
        ("have their turn | {} calls or {} KiB", turn_budget.FLOWS_A_TURN, turn_budget.BYTES_A_TURN / KIB),
        ("keeps a reserve of {} MiB", reserve.USUAL_BYTES / MIB),
        ("when {} MiB are free (AMQ7486I)", 2 * reserve.STEP_BYTES / MIB),
        ("it says what needs it; exit code {}.", ExitCode.STORAGE),
        (
            "writes {} reports of one probe and {} in all",
            first_failure_reports.REPORTS_MAX // 10, first_failure_reports.REPORTS_MAX,
        ),
        ("{}, or `MaxChannels` if that is more", limits.LINKS_MAX),
        ("the open files less {} (or less a quarter)", limits.FILES_KEPT),
        ("half of the memory at {} KiB each", limits.CONNECTION_BYTES / KIB),
        ("Local applications may have {} more", event_loop._KEPT_LOCAL),
        ("may share sockets | {}, or what half", limits.CONNECTIONS_MAX),
        ("not taken by their reader | {} MiB together", limits.BUFFER_BYTES_MAX / MIB),
        ("control socket | {} KiB, within {} seconds", control_socket.LINE_BYTES_MAX / KIB, control_socket.REQUEST_S),
    ],
    "docs/troubleshooting.md": [
        (
            "{} it runs already, {} it does not exist, {} its log cannot be used, {} no room",
            ExitCode.RUNNING, ExitCode.DOES_NOT_EXIST, ExitCode.LOG_NOT_AVAILABLE, ExitCode.STORAGE,
        ),
    ],
    "docs/reference/connecting.md": [
        (
            "what the server calls the application; {} bytes at most",
            C.MQ_APPL_NAME_LENGTH,
        ),
        ("`reconnect_timeout` | all but embedded | {} |", CLIENT.reconnect_timeout_s),
        ("`connect_timeout` | all but embedded | {} |", CLIENT.connect_timeout_s),
        ("`call_timeout` | all but embedded | {} |", CLIENT.call_timeout_s),
        ("`heartbeat` | local, mq, mqs | {} |", CLIENT.heartbeat_s),
        ("`sharing` | local, mq, mqs | {} |", CLIENT.sharing),
        ("`max_message` | local, mq, mqs | {} |", CLIENT.max_message_bytes),
        ("heartbeatInterval` | {} | HBINT", default(ClientChannel, "heartbeat_s")),
        ("sharingConversations` | {} | SHARECNV", default(ClientChannel, "sharing")),
        ("maximumMessageLength` | {} | MAXMSGL", urls.MESSAGE_BYTES_MAX),
        ("may be ({} bytes on Linux)", socket_paths.PATH_BYTES_MAX),
    ],
    "docs/reference/python-api.md": [
        ("`message_id` | up to {} bytes, filled with zeros", options.ID_BYTES),
    ],
    "src/libremq/client/queue.py": [
        ("its message id ({} bytes)", options.ID_BYTES),
        ("`priority` (0 to {})", putting.MAX_PRIORITY),
        ("`message_id`: up to {} bytes", options.ID_BYTES),
        ("some {} MB together", request_bytes._BATCH_BYTES / MIB),
    ],
    "src/libremq/client/xa.py": [
        ("An XID is 1 to {} bytes", XID_BYTES_MAX),
    ],
    "docs/reference/aio.md": [
        ("ended after {} seconds without use", sessions.IDLE_S),
        ("has up to {} threads", aio_embedded._THREADS),
    ],
    "docs/reference/reconnect.md": [
        ("after {} ms of silence", remote_connection._SILENCE_S * 1000),
        (
            "the first time after 0 to {} ms, then with pauses that double from {} ms to {} s",
            FIRST_PAUSE_MS, FIRST_PAUSE_MS, reconnect_attempts.LONGEST_PAUSE_S,
        ),
        ("After `reconnect_timeout` ({} s;", CLIENT.reconnect_timeout_s),
        ("breaks its connection {} times in a row", reconnect_recovery.TRIES),
        ("an exclusive queue, up to {} s are waited", reconnect_recovery._HELD_S),
        ("Of the last {} messages browsed", reconnect_cursor.KEPT),
    ],
    "docs/reference/properties.md": [
        ("| 1 to {} bytes |", C.MQ_MAX_PROPERTY_NAME_LENGTH),
    ],
    "docs/reference/selectors.md": [
        ("has at most {} bytes", C.MQ_SELECTOR_LENGTH),
        ("longer than {} bytes", C.MQ_SELECTOR_LENGTH),
        ("goes {} levels deep", selector.SELECTOR_DEPTH_MAX),
    ],
    "docs/reference/tls.md": [
        ("how long they are valid; {} |", TLS.parse_args(["init"]).days),
        ("revoke [--folder F] NAME ... [--days {}]`", TLS.parse_args(["revoke"]).days),
    ],
    "docs/reference/samples.md": [
        ("| {} | arguments are missing", sample_program.USAGE_CODE),
        ("Open options are {} (MQOO_OUTPUT", C.MQOO_OUTPUT + C.MQOO_FAIL_IF_QUIESCING),
        ("Open options are {} (MQOO_INPUT_AS_Q_DEF", C.MQOO_INPUT_AS_Q_DEF + C.MQOO_FAIL_IF_QUIESCING),
        ("until no message came for {} seconds", amqsget._WAIT_S),
        ("offset, {} bytes, and the characters", amqsbcg._ROW),
        ("without it {} are written", amqsblst._COUNT),
        ("bytes of a message ({})", amqsblst._SIZE_BYTES),
        ("`random` (1 to {})", amqsblst._RANDOM_BYTES_MAX),
        ("messages with it; up to {} bytes", amqsblst._ID_BYTES),
        ("It waits {} seconds for the first reply and {} for", amqsreq._FIRST_WAIT_S, amqsreq._NEXT_WAIT_S),
        ("(MQTMC2, {} characters", TMC2_BYTES),
        ("when no request came for {} seconds", request_server.TRIGGERED_WAIT_S),
    ],
    "docs/reference/control-commands.md": [
        ("is one argument of {} characters", TMC2_BYTES),
        ("`RETRYINT(seconds)` | {} |", dead_letter_rules.RETRY_INTERVAL_S),
        ("| messages a commit; {} |", message_copy.BATCH),
        ("LibreMQ message file, version {}`", message_file.VERSION),
        ("listen on a port ({}) of an address", start_options.PORT),
        ("Exit codes: 0; {} there are none; 85", dspmqtrn.NONE_FOUND),
    ],
    "docs/reference/route-tracing.md": [
        ("expiry in seconds, by default {};", default(route_tracing.RouteRequest, "expiry_s")),
        ("the expiry and {} seconds more", dspmqrte._PATIENCE_S),
    ],
    "docs/reference/error-logs.md": [
        ("`ErrorLogSize` ({} MiB)", error_log.FILE_BYTES_MAX / MIB),
        ("ErrorLogSize | {} |", ErrorLogSettings().file_bytes_max),
        ("SuppressInterval | {} |", ErrorLogSettings().suppress_interval_s),
        ("the last {} entries are written", error_log._WAITING_MAX),
        ("more than {} times in a minute", repeated_messages.SAME_MAX),
        ("comes {} times in a minute about different", repeated_messages.ALL_MAX),
    ],
    "docs/reference/channel-commands.md": [
        (
            "what comes back: {} bytes, or `DATALEN({})` to `DATALEN({})`",
            commands_channels._PING_BYTES, command_options.DATALEN.low, command_options.DATALEN.high,
        ),
    ],
    "docs/reference/channels.md": [
        ("({} seconds at least, a minute at most)", silence.ANSWER_MIN_S),
        ("AUTO is HBINT + {}", socket_options._BEYOND_HEARTBEAT_S),
    ],
    "docs/reference/channel-exits.md": [
        ("can name up to {} exits each", attribute("SDR", "MSGEXIT").max_items),
        ("lengthen a segment, up to {} for all", exits._SPACE_MAX),
        ("can set it, up to {} characters", C.MQ_USER_ID_LENGTH),
        ("{} bytes (TSH), or {} if conversations share", segments.TSH_BYTES, segments.TSHM_BYTES),
    ],
    "docs/internals/server.md": [
        ("commands ({}) |", event_loop._COMMAND_THREADS),
        ("passwords ({}) |", admission_decision._PASSWORD_THREADS),
        ("| calls ({}) |", dialing._THREADS),
        ("queue up, {} at most", conversation.BACKLOG_MAX),
        ("({} MiB, or a quarter of the memory)", limits.BUFFER_BYTES_MAX / MIB),
        ("has not connected within {} seconds", EVENT_LOOP.handshake_s),
        ("must be complete within {} seconds", EVENT_LOOP.flow_s),
        ("a second more for each {} bytes", unfinished_flows.SLOWEST_BYTES_S),
        (
            "{} segments are taken apart and {} calls run, or {} KiB",
            turn_budget.FLOWS_A_TURN, turn_budget.FLOWS_A_TURN, turn_budget.BYTES_A_TURN / KIB,
        ),
        ("sends over {} flows or {} KiB", turn_budget.EARLY_FLOWS_MAX, turn_budget.EARLY_BYTES_MAX / KIB),
        ("ends with exit status {}", controller.FAILED),
        ("takes more than {} seconds, the process stops", server_process.HARD_END_S),
    ],
    "docs/internals/protocol.md": [
        ("the lower; ours is {}. Below {}: status {}", protocol.FAP_LEVEL, answering.FAP_LEVEL_MIN, Status.FAP_LEVEL),
        ("| `TSH ` | {} |", segments.TSH_BYTES),
        ("| `TSHM` | {} |", segments.TSHM_BYTES),
        ("a segment | {} bytes, or what was agreed ({} at least)", protocol.MAX_SEGMENT, protocol.MIN_SEGMENT),
        ("MAXMSGL of the channel + {} bytes", segments.FLOW_OVERHEAD),
        ("the same in total, {} bytes counted for each", segments._BEGUN_BYTES),
        ("behind one that is not answered | {} |", conversation.BACKLOG_MAX),
        ("begun | {} seconds, and one more for each {} bytes", EVENT_LOOP.flow_s, unfinished_flows.SLOWEST_BYTES_S),
        ("channel runs | {} flows, {} KiB", turn_budget.EARLY_FLOWS_MAX, turn_budget.EARLY_BYTES_MAX / KIB),
        ("that a peer does not take | {} MiB", client_link._WRITE_HIGH / MIB),
        ("`buffer_bytes_max` of the server, {} MiB", EVENT_LOOP.buffer_bytes_max / MIB),
        ("selectors of MQINQ and MQSET | {} |", calls.SELECTORS_MAX),
        ("JSON of a request | {} MiB |", calls.JSON_MAX / MIB),
        ("two lengths that add up to 1 to {}", XID_BYTES_MAX),
    ],
    "docs/internals/queue-file-format.md": [
        ("message images in {}-byte blocks", space_map.BLOCK_BYTES),
        ("| 4 | 1 | image version, {} |", stored_message.IMAGE_VERSION),
        ("over a message channel has image version {}:", stored_message.IMAGE_VERSION_WITH_ORIGIN),
        ("| {} | {} | the descriptor", stored_message._DESCRIPTOR_AT, stored_message.BODY_BYTES),
        ("| {} | P | properties", stored_message.IMAGE_OVERHEAD),
        ("magic `LMQQ`, version u16 ({})", queue_file.VERSION),
        ("magic `LMQH`, version u16 ({})", handle_file.VERSION),
        ("CRC-32 of these {} bytes", handle_file._HEADER.size),
        ("bytes behind this {}-byte batch header", handle_file._BATCH.size),
        ("| {} each | entries:", handle_file.ENTRY.size),
        ("magic `LMQC`, version u16 ({})", catalogue_file.VERSION),
        ("up to {} KiB of message images", StoreLimits().persistent_buffer_bytes / KIB),
        ("{} bytes for each handle that changed", handle_file.ENTRY.size),
        ("`amqreserve.fil`, {} MiB or", reserve.USUAL_BYTES / MIB),
        ("(at most {} MiB), in whole MiB", reserve.BYTES_MAX / MIB),
        ("({} MiB at least, so with {} MiB free)", reserve.STEP_BYTES / MIB, 2 * reserve.STEP_BYTES / MIB),
    ],
    "docs/internals/soak.md": [
        ("at random moments, {} times", soak_main._KILLS),
        ("[--kills {}]", soak_main._KILLS),
        ("[--longest {}]", LONGEST_S),
        ("`LIBREMQ_SOAK_SECONDS` ({})", soak_channels._SECONDS),
        ("[--round {}]", soak_channels._ROUND_S),
    ],
    "docs/internals/testing.md": [("puts {} known bugs into a copy of the source", len(BUGS))],
}  # fmt: skip


def number(text: str) -> float:
    return float(WORDS.index(text.lower())) if text.lower() in WORDS else float(text.replace(",", ""))


def pattern(phrase: str) -> str:
    """Blanks stand for line breaks too; a number may be a word."""
    parts = [re.sub(r"(\\ )+", r"\\s+", re.escape(part)) for part in phrase.split("{}")]
    return rf"(\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(WORDS)})\b)".join(parts)


ROWS = [
    pytest.param(page, phrase, values, id=f"{page}: {phrase}")
    for page, rows in NUMBERS.items()
    for phrase, *values in rows
]


@over_rows(("page", "phrase", "values"), ROWS)
def test_the_page_says_what_the_code_has(page: str, phrase: str, values: list[float]) -> None:
    found = re.findall(pattern(phrase), text_of(ROOT / page), re.IGNORECASE)
    assert found, "the page does not say it any more"
    for numbers in found:
        told = [numbers] if isinstance(numbers, str) else list(numbers)
        assert [number(text) for text in told] == [float(value) for value in values]


def test_the_readme_counts_the_rules_roughly() -> None:
    rules = re.search(r"^(\d+) rules", text_of(ROOT / "docs/pipeline/rules.md"), re.MULTILINE)
    told = re.search(r"by ~(\d+) rules", text_of(ROOT / "README.md"))
    assert rules is not None and told is not None
    assert round(int(rules[1]), -2) == int(told[1])


def test_the_table_of_planted_bugs_adds_up() -> None:
    chapter = text_of(ROOT / "docs/internals/testing.md").partition("\n## Planted bugs\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| .+ \| (\d+) \| `test_", chapter, re.MULTILINE)
    assert sum(map(int, rows)) == len(BUGS)


def test_the_table_of_verbs_has_them_all() -> None:
    page = text_of(ROOT / "docs/reference/mqi.md")
    assert set(re.findall(r"^\| (MQ\w+) \|", page, re.MULTILINE)) == VERBS


# Tables


def first_column(page: str, heading: str) -> set[int]:
    """The numbers in the first cells of the table below a heading."""
    section = re.split(r"^#+ ", prose_of(ROOT / page), flags=re.MULTILINE)
    table = next(text for text in section if text.startswith(heading))
    cells = re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE)
    return {int(one) for cell in cells for one in cell.split(",")}


def test_every_exit_code_is_explained() -> None:
    assert first_column("docs/reference/log-commands.md", "Exit codes") == {int(code) for code in ExitCode}


def test_the_exit_codes_of_the_commands_on_authorities_are_explained() -> None:
    own = {value for name, value in vars(authority_commands).items() if name.isupper() and isinstance(value, int)}
    shared = {ExitCode.OK, ExitCode.ARGUMENTS, ExitCode.NOT_AVAILABLE, ExitCode.NAME, ExitCode.NOT_AUTHORIZED}
    assert first_column("docs/reference/authorities.md", "Commands") == own | {int(code) for code in shared}


def test_every_ccsid_is_listed() -> None:
    page = text_of(ROOT / "docs/reference/conversion.md")
    kinds = (
        "EBCDIC", "EBCDIC, one and two bytes", "ASCII, PC", "ASCII, ISO and others", "Windows",
        "East Asian, several bytes", "Unicode",
    )  # fmt: skip
    listed: list[int] = []
    for kind in kinds:
        cell = re.search(rf"^\| {kind} \| ([\d, -]+) \|", page, re.MULTILINE)
        assert cell is not None, kind
        for part in cell[1].split(","):
            low, _, high = part.partition("-")
            listed += range(int(low), int(high or low) + 1)
    assert sorted(listed) == list(ccsid.known_ccsids())


CHANNEL_PAGE = prose_of(ROOT / "docs/reference/channels.md")
STATED = [
    (keyword, int(value))
    for cell in re.findall(r"^\| ((?:[A-Z]+\(\d+\)(?:, )?)+) \|", CHANNEL_PAGE, re.MULTILINE)
    for keyword, value in re.findall(r"([A-Z]+)\((\d+)\)", cell)
] + [(keyword, int(value)) for keyword, value in re.findall(r"(MRRTY|MRTMR)\((\d+)\)", CHANNEL_PAGE)]


def test_the_page_states_defaults_of_channels() -> None:
    assert len(STATED) > 8


@pytest.mark.parametrize(("keyword", "value"), STATED)
def test_defaults_of_channels(keyword: str, value: int) -> None:
    kind = "RCVR" if keyword.startswith("MR") else "SDR"
    assert attribute(kind, keyword).default == value
