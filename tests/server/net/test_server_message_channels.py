"""Two served queue managers and the channels between them, over TCP: in the clear and with TLS."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helper_partners import Partner, define, initial
from helper_peers import wait_until
from helper_tls import write

import libremq
from helper_ports import free_port
from libremq.admin.operations import ChannelInstance
from libremq.common.tls.tls_authority import Authority
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.server.admission.key_repository import KeyRepository
from libremq.server.net import message_channels
from libremq.server.net.dialing import LocalPlace, parse_local_address
from libremq.testing import VirtualClock
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import message_channel as flows
from libremq.wire.protocol import Status

CHANNEL, BACK = "QM1.TO.QM2", "QM2.TO.QM1"


@dataclass
class Pair:
    """QM1 sends to QM2."""

    one: Served
    two: Served
    said: list[str]

    def define(self, **attributes: Any) -> None:
        """The sender at QM1, its queues, and the receiver at QM2."""
        define(self.one, "QLOCAL", "QM2", USAGE="XMITQ")
        define(self.one, "QREMOTE", "REMOTE.Q", RNAME="TARGET.Q", RQMNAME="QM2")
        both = {key: value for key, value in attributes.items() if key in ("SSLCIPH", "COMPMSG", "HBINT")}
        retries = {"SHORTTMR": 1, "SHORTRTY": 999_999_999}  # after ten it would rest for 20 minutes
        sender = {"CONNAME": f"127.0.0.1({self.two.port})", "XMITQ": "QM2", **retries, **attributes}
        define(self.one, "CHANNEL", CHANNEL, CHLTYPE="SDR", **sender)
        define(self.two, "CHANNEL", CHANNEL, CHLTYPE="RCVR", **both)
        define(self.two, "QLOCAL", "TARGET.Q")

    def start(self, name: str = CHANNEL) -> None:
        with self.one.event_loop.lock:
            self.one.event_loop.initiator.start(name)

    def instance(self, name: str = CHANNEL) -> ChannelInstance | None:
        with self.one.event_loop.lock:
            return next((one for one in self.one.event_loop.initiator.instances() if one.channel == name), None)

    def wait_for(self, status: int, name: str = CHANNEL) -> ChannelInstance:
        def there() -> bool:
            found = self.instance(name)
            return found is not None and found.status == status

        wait_until(there)
        found = self.instance(name)
        assert found is not None
        return found

    def exchange(self, count: int = 10, size: int = 100, first: int = 0) -> None:
        with libremq.connect(self.one.url("local")) as one, libremq.connect(self.two.url("local")) as two:
            queue = one.queue("REMOTE.Q")
            for number in range(first, first + count):
                queue.put(number.to_bytes(4, "big") + bytes(size), persistent=number % 2 == 0)
            target = two.queue("TARGET.Q")
            got = [int.from_bytes(target.get(wait=120).data[:4], "big") for _ in range(count)]
            assert sorted(got) == list(range(first, first + count))

    def heard(self, *words: str) -> bool:
        return any(all(word in line for word in words) for line in self.said)


@contextmanager
def pair_in(folder: Path, **keys: Any) -> Iterator[Pair]:
    said: list[str] = []
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(served_queue_manager(name, folder=folder / name, say=said.append, **keys.get(name, {})))
            for name in ("QM1", "QM2")
        )
        yield Pair(one, two, said)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with pair_in(tmp_path) as pair:
        yield pair


def test_messages_arrive(pair: Pair) -> None:
    pair.define()
    pair.start()
    pair.exchange(100)
    sender = pair.wait_for(C.MQCHS_RUNNING)
    assert (sender.partner, sender.messages, sender.xmitq) == ("QM2", 100, "QM2")
    assert sender.bytes_sent > 100 * 500
    assert sender.local_address.startswith("127.0.0.1(")
    with pair.two.event_loop.lock:
        (receiver,) = pair.two.event_loop.initiator.instances()
    assert (receiver.partner, receiver.messages) == ("QM1", 100)

    def counted_alike() -> bool:
        """The last batch may be confirmed a little after its messages were there."""
        found = []
        for served in (pair.one, pair.two):
            with served.event_loop.lock:
                found += served.event_loop.initiator.instances()
        return found[0].bytes_sent == found[1].bytes_received

    wait_until(counted_alike)


def test_long_messages_arrive(pair: Pair) -> None:
    pair.define(MAXMSGL=104857600)
    with pair.two.event_loop.lock:
        pair.two.event_loop.manager.alter("RCVR", CHANNEL, {"MAXMSGL": 104857600})
    for served, name in ((pair.one, "QM2"), (pair.two, "TARGET.Q")):
        with served.event_loop.lock:
            served.event_loop.manager.alter("QLOCAL", name, {"MAXMSGL": 104857600})
            served.event_loop.manager.alter("QMGR", "", {"MAXMSGL": 104857600})
    pair.start()
    pair.exchange(4, 3_000_000)
    pair.exchange(1, 20_000_000, 5)
    wait_until(lambda: pair.one.in_loop(lambda: pair.one.event_loop.buffered_bytes) == 0)
    wait_until(lambda: pair.two.in_loop(lambda: pair.two.event_loop.buffered_bytes) == 0)


def test_what_waited_for_the_log_is_not_counted_any_more(pair: Pair) -> None:
    """It is written without the socket ever having been full."""
    pair.define()
    pair.start()
    pair.exchange()
    event_loop = pair.one.event_loop

    def without_room() -> tuple[int, int]:
        (link,) = event_loop.message_links
        link._unsent = 1 << 22
        assert link.is_full()
        link._note_buffered()
        counted = event_loop.buffered_bytes
        link._unsent = 0
        link.release(event_loop.manager.log.durable)
        return counted, event_loop.buffered_bytes

    assert pair.one.in_loop(without_room) == (1 << 22, 0)


def test_a_trigger_starts_the_channel(pair: Pair) -> None:
    pair.define()
    with pair.one.event_loop.lock:
        pair.one.event_loop.manager.alter(
            "QLOCAL", "QM2", {"TRIGGER": "TRIGGER", "TRIGTYPE": "FIRST", "INITQ": "SYSTEM.CHANNEL.INITQ"}
        )
    pair.exchange()


def test_a_partner_that_is_not_there_is_tried_again(pair: Pair, tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        pair.define(CONNAME=f"127.0.0.1({port})")
        pair.start()
        pair.wait_for(C.MQCHS_RETRYING)
    assert pair.heard("AMQ9202E", f"127.0.0.1({port})", "refused")
    with pair.one.event_loop.lock:
        pair.one.event_loop.manager.alter("SDR", CHANNEL, {"CONNAME": f"127.0.0.1({pair.two.port})"})
    pair.exchange()


def test_the_places_of_conname_are_tried_in_order(pair: Pair) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        closed = nobody.getsockname()[1]
        pair.define(CONNAME=f"127.0.0.1({closed}),nobody.invalid(1),localhost({pair.two.port})")
        pair.start()
        pair.exchange()


@pytest.mark.parametrize(
    ("conname", "words"),
    [
        ("nobody.invalid(1414)", "not known"),
        ("127.0.0.1(99999)", "99999"),
        ("127.0.0.1:1414", "parentheses"),
        ("127.0.0.1(1),nobody.invalid", "127.0.0.1(1)"),
    ],
)
def test_places_that_cannot_be_reached(pair: Pair, conname: str, words: str) -> None:
    pair.define(CONNAME=conname)
    pair.start()
    pair.wait_for(C.MQCHS_RETRYING)
    assert pair.heard("AMQ9202E", words), pair.said


def test_a_partner_that_does_not_know_the_channel(pair: Pair) -> None:
    pair.define()
    with pair.two.event_loop.lock:
        pair.two.event_loop.manager.delete("RCVR", CHANNEL)
    pair.start()
    pair.wait_for(C.MQCHS_RETRYING)
    assert pair.heard("AMQ9519E", CHANNEL)
    assert pair.heard("AMQ9520E", CHANNEL)


def test_local_addresses_and_ports(pair: Pair) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = [taken.getsockname()[1], free_port()]
        local = ",".join(f"127.0.0.1({port})" for port in ports)
        pair.define(LOCLADDR=local)
        pair.start()
        pair.exchange()
        assert pair.wait_for(C.MQCHS_RUNNING).local_address == f"127.0.0.1({ports[1]})"


def test_a_local_address_that_is_none_of_this_machine(pair: Pair) -> None:
    pair.define(LOCLADDR="192.0.2.1")
    pair.start()
    pair.wait_for(C.MQCHS_RETRYING)
    assert pair.heard("AMQ9202E", "LOCLADDR", "192.0.2.1"), pair.said


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("", (LocalPlace(),)),
        ("10.0.0.1", (LocalPlace("10.0.0.1"),)),
        ("(1000)", (LocalPlace("", 1000, 1000),)),
        ("(1000,1100)", (LocalPlace("", 1000, 1100),)),
        ("host.example(7)", (LocalPlace("host.example", 7, 7),)),
        ("10.0.0.1(1,2),fe80::1", (LocalPlace("10.0.0.1", 1, 2), LocalPlace("fe80::1"))),
        ("[::1](5, 6)", (LocalPlace("::1", 5, 6),)),
    ],
)
def test_what_locladdr_means(text: str, places: tuple[LocalPlace, ...]) -> None:
    assert parse_local_address(text) == places


@pytest.mark.parametrize("text", ["(", "(1", "(2,1)", "(70000)", "a(1)b", "a b", "(1,2,3)", "()"])
def test_locladdr_that_means_nothing(text: str) -> None:
    with pytest.raises(ValueError, match="LOCLADDR"):
        parse_local_address(text)


def test_keep_alive_follows_the_channel(pair: Pair) -> None:
    pair.define(KAINT=77)
    pair.start()
    pair.wait_for(C.MQCHS_RUNNING)

    def idle(served: Served) -> tuple[int, int]:
        (link,) = served.event_loop.message_links
        assert link._transport is not None
        connection = link._transport.get_extra_info("socket")
        alive = connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        return alive, connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)

    assert idle(pair.one) == (1, 77)
    assert idle(pair.two) == (1, 300 + 60)
    assert pair.one.in_loop(lambda: next(iter(pair.one.event_loop.message_links)).peer) == f"127.0.0.1({pair.two.port})"


def test_a_connection_that_is_cut_is_made_again_and_nothing_is_lost(pair: Pair) -> None:
    pair.define()
    pair.start()
    pair.exchange(20)
    for served in (pair.one, pair.two):
        pair.wait_for(C.MQCHS_RUNNING)
        (before,) = pair.one.event_loop.message_links
        served.in_loop(lambda served=served: [link.end() for link in list(served.event_loop.message_links)])
        # What is not persistent is lost if it is sent before the cut is noticed
        wait_until(lambda before=before: before not in pair.one.event_loop.message_links)  # type: ignore[misc]
        pair.exchange(20)


def test_a_slow_log_does_not_count_as_silence_of_the_partner(tmp_path: Path) -> None:
    clock, other = VirtualClock(), VirtualClock()  # QM2 does not lose patience: its time stands still
    with pair_in(tmp_path, QM1={"clock": clock}, QM2={"clock": other}) as pair:
        pair.define(HBINT=1)
        pair.start()
        pair.wait_for(C.MQCHS_RUNNING)
        event_loop, manager = pair.one.event_loop, pair.one.embedded.manager
        on_disk, force = threading.Event(), event_loop.replies._force_now

        def slow(lsn: int) -> str | None:
            on_disk.wait(120)
            return force(lsn)

        event_loop.replies._force_s = 1.0  # so that a thread waits for it, and not the loop
        event_loop.replies._force_now = slow  # type: ignore[method-assign]
        with event_loop.lock:
            application = manager.connect("alice", "teller")
            md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
            manager.put1(application, MQOD(ObjectName="REMOTE.Q"), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"x")
        wait_until(lambda: any(link._held for link in event_loop.message_links))
        for _ in range(20):
            clock.advance(1)
            pair.one.in_loop(lambda: [link.tick(0.0) for link in list(event_loop.message_links)])
        on_disk.set()
        with libremq.connect(pair.two.url("local")) as two:
            came: list[bytes] = []  # by looking again and again, since a get that waits does so in QM2's time

            def arrived() -> bool:
                came.extend(message.data for message in two.queue("TARGET.Q"))
                return bool(came)

            wait_until(arrived)
            assert came == [b"x"]
        assert not pair.heard("AMQ9259")


def test_stop_and_start(pair: Pair) -> None:
    pair.define()
    pair.start()
    pair.exchange()
    with pair.one.event_loop.lock:
        pair.one.event_loop.initiator.stop(CHANNEL, C.MQMODE_QUIESCE)
    pair.wait_for(C.MQCHS_STOPPED)
    wait_until(lambda: not pair.two.event_loop.message_links)
    pair.start()
    pair.exchange()


def test_a_stop_is_remembered_over_a_restart(tmp_path: Path) -> None:
    with pair_in(tmp_path) as pair:
        pair.define()
        with pair.one.event_loop.lock:
            pair.one.event_loop.initiator.stop(CHANNEL, C.MQMODE_QUIESCE)
            pair.one.event_loop.stopped_channels.add("SYSTEM.DEF.SVRCONN")
        assert set(pair.one.event_loop.stopped_channels) == {"SYSTEM.DEF.SVRCONN"}
    with served_queue_manager("QM1", folder=tmp_path / "QM1") as one:
        with one.event_loop.lock:
            (found,) = one.event_loop.initiator.instances()
        assert (found.channel, found.status) == (CHANNEL, C.MQCHS_STOPPED)
        assert "SYSTEM.DEF.SVRCONN" in one.event_loop.stopped_channels
        with one.event_loop.lock:
            one.event_loop.stopped_channels.discard("SYSTEM.DEF.SVRCONN")
        assert not one.event_loop.stopped_channels


def test_a_requester_calls_a_server_and_a_sender(pair: Pair) -> None:
    """QM2 asks for the messages of QM1: once QM1 sends on that connection, once it calls back."""
    pair.define()
    for kind in ("SVR", "SDR"):
        name = f"{kind}.TO.QM2"
        define(pair.one, "QLOCAL", f"{kind}.XMITQ", USAGE="XMITQ")
        define(pair.one, "QREMOTE", "REMOTE.Q", RNAME="TARGET.Q", RQMNAME="QM2", XMITQ=f"{kind}.XMITQ")
        conname = {"CONNAME": f"127.0.0.1({pair.two.port})"} if kind == "SDR" else {}
        define(pair.one, "CHANNEL", name, CHLTYPE=kind, XMITQ=f"{kind}.XMITQ", **conname)
        define(pair.two, "CHANNEL", name, CHLTYPE="RQSTR", CONNAME=f"127.0.0.1({pair.one.port})")
        with pair.two.event_loop.lock:
            pair.two.event_loop.initiator.start(name)
        pair.exchange(10)
        assert pair.wait_for(C.MQCHS_RUNNING, name).partner == "QM2"


def test_ping(pair: Pair) -> None:
    pair.define()
    answers: list[object] = []
    with pair.one.event_loop.lock:
        pair.one.event_loop.initiator.ping(CHANNEL, b"hello", answers.append)
    wait_until(lambda: bool(answers))
    assert answers == [None]
    wait_until(lambda: not pair.one.event_loop.message_links and not pair.two.event_loop.message_links)


EXITS = """
def turn(call):
    if call.data:
        return call.data[:28] + bytes(byte ^ 0x55 for byte in call.data[28:])

def fail(call):
    if call.data:
        raise ValueError("on purpose")
"""


def test_send_and_receive_exits_see_every_segment(pair: Pair) -> None:
    pair.define(SENDEXIT=["scramble(turn)"], RCVEXIT=["scramble(turn)"])
    with pair.two.event_loop.lock:
        exits = {"SENDEXIT": ["scramble(turn)"], "RCVEXIT": ["scramble(turn)"]}
        pair.two.event_loop.manager.alter("RCVR", CHANNEL, exits)
    for served in (pair.one, pair.two):
        path = Path(served.event_loop.folder, "exits", "scramble.py")
        path.write_text(EXITS)
        path.chmod(0o600)
    pair.start()
    pair.exchange(20)
    pair.exchange(3, 300_000, 20)
    with Partner(pair.two.port) as partner:
        # Who does not wait for the answer cannot get past the exits
        partner.send(initial(channel=CHANNEL, queue_manager="QM3") + flows.Resync(0).pack())
        assert partner.refused().code == Status.PROTOCOL_GENERAL
    with pair.two.event_loop.lock:
        pair.two.event_loop.manager.alter("RCVR", CHANNEL, {"RCVEXIT": ["scramble(fail)"]})
    with Partner(pair.two.port) as partner:
        partner.agree(channel=CHANNEL, queue_manager="QM3")
        partner.send(flows.Resync(0).pack())
        partner.refused()
    assert pair.heard("scramble(fail)", "on purpose"), pair.said[-5:]


def test_the_end_of_the_queue_manager_ends_channels_with_their_batches(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_channels, "_BATCHES_S", 240.0)  # for a partner that is slow, but there
    pair.define(BATCHINT=60_000)
    pair.start()
    pair.wait_for(C.MQCHS_RUNNING)
    with libremq.connect(pair.one.url("local")) as qm:
        qm.put("REMOTE.Q", b"in a batch that is not full", persistent=True)
    wait_until(lambda: (pair.wait_for(C.MQCHS_RUNNING)).messages == 1)
    pair.one.run(pair.one.event_loop.end("quiesce"))
    assert not pair.one.event_loop.message_links
    with libremq.connect(pair.two.url("local")) as qm:
        assert qm.queue("TARGET.Q").get(wait=120).data == b"in a batch that is not full"
    assert not list(pair.one.event_loop.manager.core.catalogue.select("CHSTATE"))


# TLS


CIPHER = "ANY_TLS12_OR_HIGHER"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority.create()


@pytest.fixture
def secure(tmp_path: Path, authority: Authority) -> Iterator[Pair]:
    repositories: dict[str, KeyRepository] = {}
    keys = {name: {"tls": lambda name=name: repositories[name].context()} for name in ("QM1", "QM2")}
    with pair_in(tmp_path, **keys) as pair:
        for served in (pair.one, pair.two):
            name = served.name
            folder = Path(served.event_loop.folder, "ssl")
            folder.mkdir(exist_ok=True)
            write(folder / "trust.pem", authority)
            write(folder / "cert.pem", authority.issue((("CN", name),), hosts=["127.0.0.1"]))
            repositories[name] = KeyRepository(served.event_loop.manager, served.event_loop.folder, pair.said.append)
        yield pair


def test_messages_arrive_with_tls(secure: Pair) -> None:
    secure.define(SSLCIPH=CIPHER, SSLPEER="CN=QM2")
    secure.start()
    secure.exchange(50)
    secure.exchange(2, 1_000_000, 50)
    sender = secure.wait_for(C.MQCHS_RUNNING)
    assert sender.protocol.startswith("TLSV1")
    assert sender.cipher
    assert "CN=QM2" in sender.peer_name
    with secure.two.event_loop.lock:
        (receiver,) = secure.two.event_loop.initiator.instances()
    assert "CN=QM1" in receiver.peer_name


def test_refreshed_security_makes_a_new_connection(secure: Pair) -> None:
    secure.define(SSLCIPH=CIPHER)
    secure.start()
    for served in (secure.one, secure.two):
        secure.exchange()
        wait_until(lambda served=served: len(served.event_loop.message_links) == 1)  # type: ignore[misc]
        (before,) = served.event_loop.message_links
        (sending,) = secure.one.event_loop.message_links
        served.in_loop(before.refresh)
        wait_until(lambda sending=sending: sending not in secure.one.event_loop.message_links)  # type: ignore[misc]
        secure.exchange()
        wait_until(lambda served=served, before=before: before not in served.event_loop.message_links)  # type: ignore[misc]


def test_a_partner_whose_certificate_is_that_of_somebody_else(secure: Pair) -> None:
    secure.define(SSLCIPH=CIPHER, SSLPEER="CN=SOMEBODY.ELSE")
    secure.start()
    secure.wait_for(C.MQCHS_RETRYING)
    assert secure.heard("AMQ9636E", CHANNEL, "CN=QM2"), secure.said


def test_a_receiver_that_wants_another_certificate(secure: Pair) -> None:
    secure.define(SSLCIPH=CIPHER)
    with secure.two.event_loop.lock:
        secure.two.event_loop.manager.alter("RCVR", CHANNEL, {"SSLPEER": "CN=SOMEBODY.ELSE"})
    secure.start()
    secure.wait_for(C.MQCHS_RETRYING)
    assert secure.heard("AMQ9636E", "CN=QM1"), secure.said


def test_one_end_with_tls_and_the_other_without(secure: Pair) -> None:
    secure.define(SSLCIPH=CIPHER)
    with secure.two.event_loop.lock:
        secure.two.event_loop.manager.alter("RCVR", CHANNEL, {"SSLCIPH": ""})
    secure.start()
    wait_until(lambda: secure.heard("AMQ9641E", CHANNEL))
    wait_until(lambda: not secure.one.event_loop.message_links)


def test_a_partner_that_does_not_speak_tls(secure: Pair, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        secure.define(SSLCIPH=CIPHER, CONNAME=f"127.0.0.1({server.getsockname()[1]})")
        secure.start()
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"I do not know what you mean\r\n" * 10)
            secure.wait_for(C.MQCHS_RETRYING)
    assert secure.heard("AMQ96", "TLS"), secure.said


def test_without_a_key_repository_nothing_is_called(pair: Pair) -> None:
    pair.define(SSLCIPH=CIPHER)
    pair.start()
    pair.wait_for(C.MQCHS_RETRYING)
    assert pair.heard("AMQ9660E", "ssl"), pair.said


def test_a_certificate_label_that_is_not_there(secure: Pair) -> None:
    secure.define(SSLCIPH=CIPHER, CERTLABL="missing")
    secure.start()
    secure.wait_for(C.MQCHS_RETRYING)
    assert secure.heard("AMQ9642E", CHANNEL, "missing"), secure.said


SUITE_12, SUITE_13 = "ECDHE_ECDSA_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"  # neither is the best of its version


def runs_with(secure: Pair, calling: str, called: str) -> bool:
    """As docs/reference/channels.md says."""
    secure.define(SSLCIPH=calling)
    with secure.two.event_loop.lock:
        secure.two.event_loop.manager.alter("RCVR", CHANNEL, {"SSLCIPH": called})
    secure.start()
    refused: list[bool] = []

    def decided() -> bool:
        found = secure.instance()
        refused[:] = [secure.heard("AMQ9631E", CHANNEL)]
        return refused[0] or (found is not None and found.status == C.MQCHS_RUNNING)

    wait_until(decided)
    if not refused[0]:
        secure.exchange()
    return not refused[0]


@pytest.mark.parametrize(
    ("calling", "called", "runs"),
    [
        (CIPHER, "ANY_TLS13", True),
        (CIPHER, "ANY_TLS12", False),
        (CIPHER, SUITE_12, False),
        ("ANY_TLS13", "ANY_TLS13", True),
        ("ANY_TLS13", SUITE_12, False),
        ("ANY_TLS12", CIPHER, True),
        ("ANY_TLS12", "ANY_TLS12", True),
        ("ANY_TLS12", SUITE_12, False),
        (SUITE_12, SUITE_12, True),
        (SUITE_12, "ANY_TLS12", True),
        (SUITE_12, CIPHER, True),
        (SUITE_12, "ANY_TLS13", False),
    ],
)
def test_the_calling_end_offers_and_the_called_end_checks(secure: Pair, calling: str, called: str, runs: bool) -> None:
    assert runs_with(secure, calling, called) is runs, secure.said
    secure.wait_for(C.MQCHS_RUNNING if runs else C.MQCHS_STOPPED)


@pytest.mark.skipif(hasattr(ssl.SSLContext, "set_ciphersuites"), reason="this Python can choose among the suites")
@pytest.mark.parametrize("called", [SUITE_13, CIPHER])
def test_one_suite_of_tls_13_runs_only_where_it_is_what_openssl_prefers(secure: Pair, called: str) -> None:
    preferred = next(
        one["name"] for one in ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).get_ciphers() if one["protocol"] == "TLSv1.3"
    )
    assert runs_with(secure, SUITE_13, called) is (preferred == SUITE_13), secure.said
