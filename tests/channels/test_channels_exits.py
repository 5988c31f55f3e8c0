"""Channel exits: where they come from, what they see, what they can decide, and that none can do harm."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from helper_ends import CHANNEL, Node
from helper_exits import DATA, IMPORTS, XOR

import libremq
from libremq.channels.exits import ChannelExitError, Exits, Passed, Retry, Suppressed
from libremq.channels.transport import Peer
from libremq.common.messages.amq_messages import ROWS
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD1, MQXQH
from libremq.testing import VirtualClock
from libremq.wire import message_channel as flows
from libremq.wire.protocol import Status, Type
from libremq.wire.segments import TSH_BYTES, SegmentReader, frame_plain

HEADER = MQXQH(
    RemoteQName="ORDERS", RemoteQMgrName="QM2", MsgDesc=MQMD1(Format="MQSTR", UserIdentifier="alice", Persistence=1)
)
XQH = HEADER.pack()
SEGMENT = flows.pack_message(XQH + DATA, sequence=1, luwid=b"12345678", max_segment=4096)[0]


class Folder:
    """A folder of exits for the queue manager of a test, and channels that name them."""

    def __init__(self, path: Path) -> None:
        self.path = path / "exits"
        self.path.mkdir(mode=0o700)
        self.node = Node("QM1", VirtualClock())
        self.node.environment.exit_path = str(self.path)
        self.node.define("QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)

    def write(self, text: str, name: str = "mine.py") -> Path:
        path = self.path / name
        path.write_text(IMPORTS + text)
        path.chmod(0o600)
        return path

    def load(self, kind: str = "RCVR", **attributes: Any) -> Exits:
        if kind in ("SDR", "SVR"):
            attributes |= {"XMITQ": "QM2", "CONNAME": "qm2(1414)"}
        channel = self.node.define(kind, CHANNEL, **attributes)
        self.node.qm.delete("CHANNEL", CHANNEL)
        exits = Exits.load(self.node.environment, channel, sending=kind in ("SDR", "SVR"))
        exits.meet("QM2", Peer("qm2(1414)"), max_segment=32768)
        return exits

    def refused(self, number: int, *words: str, **attributes: Any) -> None:
        with pytest.raises(ChannelExitError) as caught:
            self.load(**attributes)
        complains(caught.value, number, *words)


def complains(error: ChannelExitError, number: int, *words: str) -> None:
    assert error.message.number == number, error.message
    assert CHANNEL in error.message.line
    for word in words:
        assert word in error.message.line


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


# Where they come from


def test_a_channel_without_exits_needs_no_folder_and_calls_nothing(folder: Folder) -> None:
    folder.path.rmdir()
    exits = folder.load()
    assert not any((exits.any_message, exits.any_send, exits.any_receive, exits.any_security, exits.any_retry))
    assert exits.message(XQH + DATA) == Passed(XQH + DATA)
    assert exits.send(SEGMENT) is exits.receive(SEGMENT) is SEGMENT
    exits.end()


@pytest.mark.parametrize(
    "name",
    [
        "mine", "mine()", "(f)", "mine(f", "mine(f)x", "../mine(f)", "/etc/mine(f)", "a/mine(f)", "a.mine(f)",
        "mine.py(f)", "os.path(join)", "mine(a.b)", "..(f)", ".(f)", "mine\\x(f)", "mine(f)(g)", "mïne(f)",
        "mine (f)", "m" * 65 + "(f)",
    ],
)  # fmt: skip
def test_what_is_no_name_of_an_exit_is_refused(folder: Folder, name: str) -> None:
    folder.write("def f(call): pass")
    folder.refused(9535, "module(function)", SCYEXIT=name)


@pytest.mark.parametrize("name", ["os(getcwd)", "sys(exit)", "libremq(connect)", "helper_ends(Node)"])
def test_nothing_that_is_installed_can_be_named(folder: Folder, name: str) -> None:
    folder.refused(9535, "No such file", MSGEXIT=(name,))


def test_a_link_is_not_followed(folder: Folder, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("def f(call): pass")
    (folder.path / "mine.py").symlink_to(outside)
    folder.refused(9535, "is a link", MSGEXIT=("mine(f)",))


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o722])
def test_a_file_that_others_can_write_to_is_refused(folder: Folder, mode: int) -> None:
    folder.write("def f(call): pass").chmod(mode)
    folder.refused(9535, "others can write", "mine.py", MSGEXIT=("mine(f)",))


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_can_write_to_is_refused(folder: Folder, mode: int) -> None:
    folder.write("def f(call): pass")
    folder.path.chmod(mode)
    folder.refused(9535, "others can write", MSGEXIT=("mine(f)",))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_refused(folder: Folder) -> None:
    os.chown(folder.write("def f(call): pass"), 4711, -1)
    folder.refused(9535, "another user", MSGEXIT=("mine(f)",))


def test_what_is_no_file_is_refused(folder: Folder) -> None:
    (folder.path / "mine.py").mkdir()
    folder.refused(9535, MSGEXIT=("mine(f)",))
    (folder.path / "mine.py").rmdir()
    os.mkfifo(folder.path / "mine.py", 0o600)
    folder.refused(9535, "is no file", MSGEXIT=("mine(f)",))
    (folder.path / "mine.py").unlink()
    folder.write("#" * (1 << 20))
    folder.refused(9535, "more than", MSGEXIT=("mine(f)",))
    folder.path.rename(folder.path.with_name("gone"))
    folder.refused(9535, "No such file", MSGEXIT=("mine(f)",))
    folder.path.write_text("a file")
    folder.refused(9535, "is no folder", MSGEXIT=("mine(f)",))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(call: pass", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError: division by zero (mine.py, line 4)"),
        ("raise SystemExit(3)", "SystemExit"),
        ("import no_such_module_anywhere", "ModuleNotFoundError"),
        ("def g(call): pass", "has no f"),
        ("f = 3", "is no function"),
        ("async def f(call): pass", "coroutine"),
        ("\0", "null bytes"),
        ("def f(call):\n    return '\xff'.encode", ""),
    ],
)
def test_a_file_that_cannot_be_used_says_why(folder: Folder, text: str, words: str) -> None:
    path = folder.write(text)
    if not words:
        path.write_bytes(b"\xff\xfe nothing that Python reads")
    before = set(sys.modules)
    folder.refused(9535, words, MSGEXIT=("mine(f)",))
    assert {name for name in set(sys.modules) - before if "mine" in name} <= {"libremq_exit_mine"}


def test_a_file_is_read_once_for_a_start_and_anew_for_the_next(folder: Folder) -> None:
    folder.write(
        "from pathlib import Path\n"
        "open(Path(__file__).parent / 'loads', 'a').write('x')\n"
        "def f(call): return b'as it was' if call.data else None\n"
    )
    first = folder.load(MSGEXIT=("mine(f)", "mine(f)"), RCVEXIT=("mine(f)",))
    assert (folder.path / "loads").read_text() == "x"
    folder.write("def f(call): return b'changed' if call.data else None\n")
    second = folder.load(MSGEXIT=("mine(f)",))
    assert first.message(XQH + DATA) == Passed(XQH + b"as it was")
    assert second.message(XQH + DATA) == Passed(XQH + b"changed")


def test_exits_of_one_file_share_its_globals_but_not_their_areas(folder: Folder) -> None:
    folder.write(
        "seen = []\n"
        "def f(call):\n"
        "    call.user_area['calls'] = call.user_area.get('calls', 0) + 1\n"
        "    seen.append((call.exit_id, call.reason, call.user_data, call.user_area['calls']))\n"
        "    if call.reason == C.MQXR_MSG: return repr(seen).encode()\n"
    )
    exits = folder.load(MSGEXIT=("mine(f)", "mine(f)"), MSGDATA=("one", "two"), RCVEXIT=("mine(f)",))
    message, receive = C.MQXT_CHANNEL_MSG_EXIT, C.MQXT_CHANNEL_RCV_EXIT
    seen = [(message, C.MQXR_INIT, "one", 1), (message, C.MQXR_INIT, "two", 1), (receive, C.MQXR_INIT, "", 1)]
    seen += [(message, C.MQXR_MSG, "one", 2), (message, C.MQXR_MSG, "two", 2)]
    assert exits.message(XQH + DATA) == Passed(XQH + repr(seen).encode())


def test_dataclasses_can_be_made_in_an_exit(folder: Folder) -> None:
    path = folder.write("")
    path.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Point:\n    x: int\n\ndef f(call): return str(Point(3)).encode() if call.data else None\n"
    )
    assert folder.load(MSGEXIT=("mine(f)",)).message(XQH + DATA) == Passed(XQH + b"Point(x=3)")


def test_a_new_queue_manager_has_a_folder_for_exits_of_its_own(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}"):
            pass
    finally:
        os.umask(before)
    folder = tmp_path / "qmgrs" / "QM1" / "exits"
    assert stat.filemode(folder.stat().st_mode) == "drwx------"
    (folder / "mine.py").write_text("def f(call): return call.data[::-1] if call.data else None\n")
    (folder / "mine.py").chmod(0o600)
    exits = Exits.from_folder(str(folder), msgexit="mine(f)")
    assert exits.message(XQH + b"abc") == Passed(XQH + b"cba")


# Beginning and end


def test_an_exit_is_told_of_the_beginning_and_of_the_end_once(folder: Folder) -> None:
    folder.write(
        "from pathlib import Path\n"
        "def f(call):\n"
        "    with open(Path(__file__).parent / 'seen', 'a') as file:\n"
        "        print(call.user_data, call.reason, call.partner or '-', file=file)\n"
    )
    exits = folder.load(MSGEXIT=("mine(f)", "mine(f)"), MSGDATA=("a", "b"))
    exits.end()
    exits.end()
    init, term = C.MQXR_INIT, C.MQXR_TERM
    assert (folder.path / "seen").read_text().splitlines() == [
        f"a {init} -", f"b {init} -", f"a {term} QM2", f"b {term} QM2",
    ]  # fmt: skip


def test_an_exit_that_does_not_want_to_begin_ends_those_before_it(folder: Folder) -> None:
    folder.write(
        "from pathlib import Path\n"
        "def f(call):\n"
        "    with open(Path(__file__).parent / 'seen', 'a') as file:\n"
        "        print(call.user_data, call.reason, file=file)\n"
        "    if call.user_data == 'b' and call.reason == C.MQXR_INIT: raise CloseChannel('not on Sundays')\n"
    )
    folder.refused(
        9536, "mine(f)", "not on Sundays", MSGEXIT=("mine(f)", "mine(f)", "mine(f)"), MSGDATA=("a", "b", "c")
    )
    assert (folder.path / "seen").read_text().split() == ["a", "11", "b", "11", "a", "12", "b", "12"]


def test_what_goes_wrong_at_the_end_is_said_and_no_more(folder: Folder) -> None:
    folder.write("def f(call):\n    if call.reason == C.MQXR_TERM: raise KeyError('lost')\n")
    exits = folder.load(MSGEXIT=("mine(f)",))
    exits.end()
    (line,) = [line for line in folder.node.said if "AMQ9190E" in line]
    assert "KeyError: 'lost' (mine.py, line 5)" in line


# Message exits


def test_a_message_exit_sees_the_message(folder: Folder) -> None:
    folder.write(
        "def f(call):\n"
        "    if call.reason != C.MQXR_MSG: return\n"
        "    return repr((call.channel, call.channel_type, call.sending, call.queue_manager, call.partner,\n"
        "        call.connection_name, call.exit_id, call.header.RemoteQName, call.md.UserIdentifier, call.data)\n"
        "    ).encode()\n"
    )
    passed = folder.load("SDR", MSGEXIT=("mine(f)",)).message(XQH + DATA)
    assert isinstance(passed, Passed)
    assert passed.data[:428] == XQH
    assert eval(passed.data[428:]) == (
        CHANNEL, C.MQCHT_SENDER, True, "QM1", "QM2", "qm2(1414)", C.MQXT_CHANNEL_MSG_EXIT, "ORDERS", "alice", DATA,
    )  # fmt: skip


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("ccsid", [819, 500])
def test_a_message_exit_can_change_the_header(folder: Folder, big_endian: bool, ccsid: int) -> None:
    folder.write(
        "def f(call):\n"
        "    if call.reason == C.MQXR_MSG:\n"
        "        call.header.RemoteQName = call.header.RemoteQName + '.' + call.user_data\n"
        "        call.md.Priority = 7\n"
    )
    exits = folder.load(MSGEXIT=("mine(f)", "mine(f)"), MSGDATA=("NEW", "ER"))
    charset = {819: "latin-1", 500: "cp500"}[ccsid]
    raw = HEADER.pack(big_endian=big_endian, charset=charset)
    encoding = C.MQENC_INTEGER_NORMAL if big_endian else C.MQENC_INTEGER_REVERSED
    passed = exits.message(raw + DATA, encoding=encoding, ccsid=ccsid)
    assert isinstance(passed, Passed)
    expected = HEADER.copy()
    expected.RemoteQName, expected.MsgDesc.Priority = "ORDERS.NEW.ER", 7
    assert passed.data == expected.pack(big_endian=big_endian, charset=charset) + DATA


def test_a_header_that_is_only_looked_at_stays_as_it_is_to_the_byte(folder: Folder) -> None:
    folder.write("def f(call):\n    if call.data: assert call.header.RemoteQName == 'ORDERS' and call.md.Format\n")
    raw = bytearray(XQH)
    raw[8:56] = b"ORDERS\0garbage behind it".ljust(48, b"\xfe")
    assert folder.load(MSGEXIT=("mine(f)",)).message(bytes(raw) + DATA) == Passed(bytes(raw) + DATA)


def test_a_chain_runs_in_the_order_of_the_definition(folder: Folder) -> None:
    folder.write("def f(call): return call.data + call.user_data.encode() if call.data else None\n")
    folder.write("def f(call): return bytearray(call.data + b'-') if call.data else None\n", "other.py")
    exits = folder.load(MSGEXIT=("mine(f)", "other(f)", "mine(f)"), MSGDATA=("A", "B", "C"))
    assert exits.message(XQH + b"0") == Passed(XQH + b"0A-C")
    assert exits.microseconds > 0
    assert exits.total_microseconds >= exits.microseconds


@pytest.mark.parametrize("how", ["return", "raise"])
def test_a_message_can_be_suppressed_and_the_rest_of_the_chain_does_not_see_it(folder: Folder, how: str) -> None:
    folder.write(
        f"def f(call):\n    if call.data: {how} SuppressMessage('too much tea', 70000)\n"
        f"def g(call):\n    if call.data: {how} SuppressMessage()\n"
        "def never(call):\n    if call.data: raise CloseChannel()\n"
    )
    exits = folder.load(MSGEXIT=("mine(f)", "mine(never)"))
    assert exits.message(XQH + DATA) == Suppressed(70000, "too much tea", "mine(f)")
    exits = folder.load(MSGEXIT=("mine(g)",))
    assert exits.message(XQH + DATA) == Suppressed(C.MQFB_STOPPED_BY_MSG_EXIT, "", "mine(g)")


def test_an_exit_can_take_its_leave(folder: Folder) -> None:
    folder.write(
        "def f(call):\n"
        "    if call.reason == C.MQXR_MSG:\n"
        "        if call.data == b'enough': return SuppressExit()\n"
        "        return call.data + b'!'\n"
        "    if call.reason == C.MQXR_TERM: raise ValueError('it is called at the end all the same')\n"
    )
    exits = folder.load(MSGEXIT=("mine(f)",))
    assert [exits.message(XQH + data) for data in (b"one", b"enough", b"two")] == [
        Passed(XQH + data) for data in (b"one!", b"enough", b"two")
    ]
    exits.end()
    assert any("at the end all the same" in line for line in folder.node.said)


@pytest.mark.parametrize(
    ("body", "number", "words"),
    [
        ("return 3", 9181, "int"),
        ("return 'text'", 9181, "str"),
        ("return [b'x']", 9181, "list"),
        ("return object", 9181, "type"),
        ("return SuppressMessage", 9181, "type"),
        ("return SendSecurity(b'x')", 9181, "SendSecurity"),
        ("return (x for x in b'x')", 9181, "generator"),
        ("return SuppressMessage('x', 'y')", 9181, "'y' is no feedback code"),
        ("return SuppressMessage('x', -1)", 9181, "-1 is no feedback code"),
        ("call.md.Persistence = 0", 9181, "Persistence"),
        ("call.header.Version = 9", 9181, "header that is not valid"),
        ("call.header.RemoteQName = 'x' * 49", 9181, "header that is not valid"),
        ("call.header.RemoteQName = object()", 9181, "header that is not valid"),
        ("call.header.MsgDesc = None", 9181, "header that is not valid"),
        ("call.md.Priority = 1 << 40", 9181, "header that is not valid"),
        ("v = memoryview(b'x'); v.release(); return v", 9181, "released"),
        ("return CloseChannel('closing time')", 9536, "closing time"),
        ("raise CloseChannel", 9536, "no reason"),
        ("return CloseChannel(3)", 9536, "no reason"),
        ("raise ValueError('bad luck')", 9190, "ValueError: bad luck (mine.py, line 6)"),
        ("raise SystemExit(1)", 9190, "SystemExit"),
        ("import sys; sys.exit('over')", 9190, "over"),
        ("return 1 / 0", 9190, "ZeroDivisionError"),
        ("return undefined", 9190, "NameError"),
        ("f(call)", 9190, "RecursionError"),
        ("raise GeneratorExit", 9190, "GeneratorExit"),
        ("raise Evil", 9190, "Evil"),
        ("return Evil()", 9181, "Evil"),
        ("return Sly()", 9181, "Sly"),
        ("return SlyBytes(b'12')", 0, ""),
        ("d = CloseChannel(); del d.words; raise d", 9536, "no reason"),
        ("raise ValueError('a\\nnew line')", 9190, "a new line"),
    ],
)  # fmt: skip
def test_an_exit_that_misbehaves_ends_its_channel_and_nothing_else(
    folder: Folder, body: str, number: int, words: str
) -> None:
    folder.write(
        "def f(call):\n"
        "  if call.data:\n"
        f"    {body}\n"
        "class Evil(Exception):\n"
        "    def __str__(self): raise RuntimeError('no text')\n"
        "    __repr__ = __str__\n"
        "class Sly:\n"
        "    @property\n"
        "    def __class__(self): raise RuntimeError('no class')\n"
        "    __len__ = __eq__ = __bool__ = __repr__ = __class__\n"
        "class SlyBytes(bytes):\n"
        "    def __len__(self): raise RuntimeError('no length')\n"
        "    __add__ = __radd__ = __getitem__ = __bytes__ = __len__\n"
    )
    exits = folder.load(MSGEXIT=("mine(f)",))
    if not number:
        assert exits.message(XQH + DATA) == Passed(XQH + b"12")
        return
    with pytest.raises(ChannelExitError) as caught:
        exits.message(XQH + DATA)
    complains(caught.value, number, "mine(f)", words)
    assert "\n" not in caught.value.message
    assert caught.value.status == Status.CLOSED_BY_EXIT
    exits.end()


# Send and receive exits


def test_a_pair_of_exits_gives_the_segment_back(folder: Folder) -> None:
    folder.write(XOR)
    sender = folder.load("SDR", SENDEXIT=("mine(twist)", "mine(longer)"), SENDDATA=("key", "x"))
    receiver = folder.load(RCVEXIT=("mine(shorter)", "mine(twist)"), RCVDATA=("x", "key"))
    assert sender.send_space == 10
    travels = sender.send(SEGMENT)
    assert travels[:4] + travels[8:28] == SEGMENT[:4] + SEGMENT[8:28]
    assert DATA not in travels
    (flow,) = SegmentReader(32768, 1 << 20).feed(travels)
    assert len(flow.body) == len(SEGMENT) - TSH_BYTES + 10
    assert receiver.receive(travels) == SEGMENT


@pytest.mark.parametrize(
    "segment",
    [
        frame_plain(Type.INITIAL_DATA, b"ID  ".ljust(240)),
        flows.status(Status.CLOSED_BY_EXIT),
        flows.close_channel(),
        flows.request_close(),
    ],
)
def test_the_beginning_and_the_end_of_a_channel_pass_without_exits(folder: Folder, segment: bytes) -> None:
    folder.write("def f(call):\n    if call.reason == C.MQXR_XMIT: raise CloseChannel()\n")
    exits = folder.load(SENDEXIT=("mine(f)",), RCVEXIT=("mine(f)",))
    assert exits.send(segment) is segment
    assert exits.receive(segment) is segment
    for other in (flows.heartbeat(), flows.confirmed(b"12345678"), flows.confirm_request(b"12345678"), SEGMENT):
        for exit in (exits.send, exits.receive):
            with pytest.raises(ChannelExitError):
                exit(other)


@pytest.mark.parametrize(
    ("answer", "number", "words"),
    [
        ("b''", 9189, "a segment of 0 bytes"),
        ("call.data[:27]", 9189, "a segment of 27 bytes"),
        ("call.data + bytes(40000)", 9189, "28 to 32768"),
        ("b'TSHM' + call.data[4:]", 9181, "first 28 bytes"),
        ("call.data[:9] + b'\\x05' + call.data[10:]", 9181, "first 28 bytes"),
        ("call.data[:12] + bytes(8) + call.data[20:]", 9181, "first 28 bytes"),
        ("SuppressMessage()", 9181, "SuppressMessage"),
    ],
)
@pytest.mark.parametrize("attribute", ["SENDEXIT", "RCVEXIT"])
def test_what_is_no_segment_any_more_ends_the_channel(
    folder: Folder, attribute: str, answer: str, number: int, words: str
) -> None:
    folder.write(f"def f(call):\n    if call.reason == C.MQXR_XMIT: return {answer}\n")
    exits = folder.load(**{attribute: ("mine(f)",)})
    with pytest.raises(ChannelExitError) as caught:
        (exits.send if attribute == "SENDEXIT" else exits.receive)(SEGMENT)
    complains(caught.value, number, "mine(f)", words)


def test_the_length_in_the_header_is_mended_whatever_the_exit_wrote_there(folder: Folder) -> None:
    folder.write(
        "def f(call):\n"
        "    if call.reason == C.MQXR_XMIT: return call.data[:4] + b'\\xff' * 4 + call.data[8:28] + b'short'\n"
    )
    sent = folder.load(SENDEXIT=("mine(f)",)).send(SEGMENT)
    assert sent == SEGMENT[:4] + (33).to_bytes(4, "big") + SEGMENT[8:28] + b"short"


@pytest.mark.parametrize("space", ["-1", "16385", "'x'", "1.5", "True"])
def test_space_that_cannot_be_reserved(folder: Folder, space: str) -> None:
    folder.write(f"def f(call): call.exit_space = {space}\n")
    folder.refused(9185, "mine(f)", SENDEXIT=("mine(f)",))


def test_all_send_exits_together_cannot_have_more_than_there_is(folder: Folder) -> None:
    folder.write("def f(call): call.exit_space = 9000\n")
    folder.refused(9186, "18000", SENDEXIT=("mine(f)", "mine(f)"))
    exits = folder.load(SENDEXIT=("mine(f)",))
    with pytest.raises(ChannelExitError) as caught:
        exits.meet("QM2", Peer("qm2(1414)"), max_segment=10_000)
    complains(caught.value, 9186, "9000", "8976")


# Message-retry exits


def test_a_retry_exit_decides_how_long_and_whether(folder: Folder) -> None:
    folder.write(
        "def f(call):\n"
        "    if call.reason == C.MQXR_RETRY:\n"
        "        assert (call.retry_count, call.retry_interval, call.retry_reason) == (3, 250, C.MQRC_Q_FULL)\n"
        "        assert call.header.RemoteQName == 'ORDERS' and call.data == b'two cups of tea'\n"
        "        if call.attempt > 20: return SuppressMessage('that is enough')\n"
        "        if call.attempt > 1: call.retry_interval = 1000 * call.attempt\n"
    )
    exits = folder.load(MREXIT="mine(f)", MRRTY=3, MRTMR=250)
    assert exits.any_retry

    def ask(attempt: int) -> Retry | Suppressed:
        return exits.retry(XQH + DATA, attempt=attempt, reason=C.MQRC_Q_FULL)

    assert [ask(1), ask(2), ask(20)] == [Retry(250), Retry(2000), Retry(20000)]
    assert ask(21) == Suppressed(C.MQFB_STOPPED_BY_MSG_EXIT, "that is enough", "mine(f)")


def test_without_a_retry_exit_the_definition_decides(folder: Folder) -> None:
    folder.write("def f(call):\n    if call.reason == C.MQXR_RETRY: return SuppressExit()\n")
    for more in ({}, {"MREXIT": "mine(f)"}):
        exits = folder.load(MRRTY=2, MRTMR=100, **more)
        for _ in range(2):
            answers = [exits.retry(XQH + DATA, attempt=attempt, reason=2053) for attempt in (1, 2, 3)]
            assert answers == [Retry(100), Retry(100), Suppressed(2053, "", "")]


@pytest.mark.parametrize("value", ["-1", "None", "2.5", "10**10"])
def test_an_interval_that_is_none(folder: Folder, value: str) -> None:
    folder.write(f"def f(call): call.retry_interval = {value}\n")
    with pytest.raises(ChannelExitError) as caught:
        folder.load(MREXIT="mine(f)").retry(XQH + DATA, attempt=1, reason=2053)
    complains(caught.value, 9181, "no milliseconds")


def test_the_sending_end_has_no_retry_exit(folder: Folder) -> None:
    assert not folder.load("SDR").any_retry


# Security exits


@pytest.mark.parametrize(
    ("answer", "number", "words"),
    [
        ("b'bytes'", 9181, "bytes to a call"),
        ("SendSecurity('text')", 9181, "'text' to be sent"),
        ("SendSecurity(b'')", 9189, "0 bytes"),
        ("SendSecurity(bytes(32768))", 9189, "1 to 32740"),
        ("setattr(call, 'mca_user', 'x' * 65)", 9181, "no user id"),
        ("setattr(call, 'mca_user', 3)", 9181, "3 is no user id"),
        ("setattr(call, 'mca_user', 'a\\nb')", 9181, "no user id"),
        ("CloseChannel('who are you?')", 9536, "who are you?"),
        ("1 / 0", 9190, "ZeroDivisionError"),
    ],
)
def test_a_security_exit_that_misbehaves(folder: Folder, answer: str, number: int, words: str) -> None:
    folder.write(f"def f(call):\n    if call.reason == C.MQXR_INIT_SEC: return {answer}\n")
    exits = folder.load(SCYEXIT="mine(f)")
    with pytest.raises(ChannelExitError) as caught:
        exits.security_begin(caller=False)
    complains(caught.value, number, "mine(f)", words)


def test_the_messages_exist() -> None:
    assert {9181, 9185, 9186, 9189, 9190, 9535, 9536, 9552} <= set(ROWS)
