"""Sockets over which nobody has logged in: so many of an address and in all, and the longest silent one gives way."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helper_partners import Partner, receiver
from helper_peers import Peer, wait_until

import libremq
from libremq.common.configuration import parse
from libremq.common.users_file import set_password
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.net import event_loop
from libremq.server.net.client_link import Link
from libremq.server.net.event_loop import EventLoopLimits
from libremq.server.net.limits import server_limits
from libremq.server.net.strangers import SAID_EVERY_S, Stranger, Strangers
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls, session_flows
from libremq.wire.protocol import Status, Type
from libremq.wire.segments import frame

MEMORY = 8 << 30


class Door:
    """The count, with a clock that stands still and sockets that are names."""

    def __init__(self, per_address: int, in_all: int) -> None:
        self.said: list[str] = []
        self.at = 1000.0
        self.closed: list[str] = []
        self.strangers = Strangers(per_address, in_all, self.said.append, lambda: self.at)

    def came(self, address: str, name: str = "") -> Stranger | None:
        found = self.strangers.came(address)
        if found is not None:
            found.shut = lambda: self.closed.append(name)
        return found


def test_the_longest_silent_one_of_an_address_gives_way() -> None:
    door = Door(3, 100)
    first = door.came("192.0.2.1", "first")
    second = door.came("192.0.2.1", "second")
    assert first is not None and second is not None
    first.asks()  # it is being looked at
    for name in ("third", "fourth", "fifth"):
        assert door.came("192.0.2.1", name) is not None
    assert door.closed == ["second", "third"] and len(door.strangers) == 3
    assert door.came("192.0.2.2", "other") is not None
    first.answered()
    assert door.came("192.0.2.1", "sixth") is not None
    assert door.closed == ["second", "third", "fourth"]  # who was answered has only begun to be silent
    first.leave()
    first.leave()
    second.leave()
    assert len(door.strangers) == 3


def test_who_is_being_looked_at_stays_and_the_newcomer_of_its_address_goes() -> None:
    door = Door(2, 100)
    for _ in range(2):
        one = door.came("192.0.2.1")
        assert one is not None
        one.asks()
    assert door.came("192.0.2.1") is None
    assert door.came("192.0.2.2") is not None


def test_in_all_the_address_that_has_most_gives_way() -> None:
    door = Door(10, 6)
    for number in range(4):
        assert door.came("192.0.2.1", f"many {number}") is not None
    assert door.came("192.0.2.2", "few") is not None
    assert door.came("192.0.2.3", "one") is not None
    assert door.came("192.0.2.4", "new") is not None
    assert door.closed == ["many 0"]


def test_nobody_shuts_out_other_addresses_by_asking() -> None:
    door = Door(10, 4)
    for number in range(4):
        one = door.came("192.0.2.1", f"guess {number}")
        assert one is not None
        one.asks()
    assert door.came("192.0.2.1") is None  # it waits for its own
    assert door.came("192.0.2.2", "new") is not None
    assert door.closed == ["guess 0"]


def test_a_network_of_ipv6_counts_as_one_address() -> None:
    door = Door(2, 100)
    for number in range(5):
        assert door.came(f"2001:db8:0:7::{number:x}", str(number)) is not None
    assert door.closed == ["0", "1", "2"]
    assert door.came("2001:db8:0:8::1") is not None
    assert door.closed == ["0", "1", "2"]
    assert door.came("no address") is None


def test_the_log_hears_of_it_once_a_minute_for_each_address() -> None:
    door = Door(1, 100)
    for _ in range(50):
        door.came("192.0.2.1")
    door.came("192.0.2.2")
    door.came("192.0.2.2")
    assert [text[:9] for text in door.said] == ["AMQ9594W:"] * 2
    assert " 1 connections of 192.0.2.1 " in door.said[0] and " 1 connections of 192.0.2.2 " in door.said[1]
    assert "MaxPendingPerAddress" in door.said[0]
    door.strangers.tick()
    assert len(door.said) == 2
    door.at += SAID_EVERY_S
    door.strangers.tick()
    assert len(door.said) == 3 and " 48 connections of 192.0.2.1 " in door.said[2]
    door.at += SAID_EVERY_S
    door.strangers.tick()
    assert len(door.said) == 3


# At real sockets


@contextmanager
def serving(folder: Path, said: list[str] | None = None, **limits: int) -> Iterator[Served]:
    say = said.append if said is not None else None
    with served_queue_manager(folder=folder / "libremq", limits=EventLoopLimits(**limits), say=say) as served:
        yield served


def silent(served: Served, count: int, source: str = "127.0.0.1") -> list[socket.socket]:
    made = []
    for _ in range(count):
        made.append(socket.create_connection(("127.0.0.1", served.port), source_address=(source, 0)))
        made[-1].settimeout(60)
    return made


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_silent_sockets_of_one_address_lock_nobody_out(tmp_path: Path) -> None:
    said: list[str] = []
    with serving(tmp_path, said, links_max=50, pending_per_address_max=8, pending_max=20) as served:
        made = silent(served, 120)
        assert all(is_closed(one) for one in made[:112])
        with libremq.connect(served.url("mq")) as qm:  # of the same address
            qm.define_local("Q")
        wait_until(lambda: len(served.event_loop.strangers) == 7)
        assert served.event_loop.sockets <= 8
        (line,) = [text for text in said if text.startswith("AMQ9594W")]
        assert "127.0.0.1" in line and "MaxPendingPerAddress" in line
        for one in made:
            one.close()
        wait_until(lambda: not served.event_loop.strangers and not served.event_loop.sockets)


def test_silent_sockets_of_many_addresses_lock_nobody_out(tmp_path: Path) -> None:
    said: list[str] = []
    with serving(tmp_path, said, links_max=50, pending_per_address_max=8, pending_max=20) as served:
        made = [one for host in range(2, 8) for one in silent(served, 7, f"127.0.0.{host}")]
        with libremq.connect(served.url("mq")) as qm:
            qm.define_local("Q")
        assert served.event_loop.sockets <= 20
        assert any("MaxPendingConnections" in text for text in said)
        for one in made:
            one.close()


@pytest.mark.parametrize("said_first", ["half a segment", "initial data", "a channel's initial data"])
def test_those_that_have_said_something_but_not_logged_in_count_too(tmp_path: Path, said_first: str) -> None:
    with serving(tmp_path, pending_per_address_max=3) as served:
        receiver(served)
        peers: list[Peer | Partner] = []
        for number in range(6):
            peer: Peer | Partner
            if said_first == "a channel's initial data":
                receiver(served, f"TO.QM1.{number}")
                peer = Partner(served.port)
                peer.agree(channel=f"TO.QM1.{number}")
            else:
                peer = Peer(served.port)
                if said_first == "initial data":
                    peer.negotiate()
                else:
                    peer.send(b"TSH ")
            peers.append(peer)
        wait_until(lambda: len(served.event_loop.links) + len(served.event_loop.message_links) <= 3)
        for peer in peers[:3]:
            while peer.receive() is not None:
                pass
        for peer in peers:
            peer.socket.close()
        wait_until(lambda: not served.event_loop.strangers)


def test_who_has_logged_in_counts_no_longer(tmp_path: Path) -> None:
    with serving(tmp_path, pending_per_address_max=2) as served:
        receiver(served)
        peers = [Peer(served.port).connect() for _ in range(5)]
        with Partner(served.port) as partner:
            partner.agree()
            partner.resynchronise()
            made = silent(served, 9)
            wait_until(lambda: len(served.event_loop.strangers) == 2)
            assert served.event_loop.connection_count() == 5
            assert len(served.event_loop.message_links) == 1
            for peer in peers:
                assert peer.call(Type.MQCMIT, calls.pack_api(0, 0, 0)).reason == C.MQRC_NONE
        for one in (*made, *(peer.socket for peer in peers)):
            one.close()


@pytest.mark.parametrize("proven", [False, True])
def test_partners_whom_nobody_knows_do_not_take_all_sockets(tmp_path: Path, proven: bool) -> None:
    """Each calls itself by another name, and so is another channel."""
    said: list[str] = []
    with serving(tmp_path, said, links_max=40, pending_max=20, pending_per_address_max=8) as served:
        receiver(served, **({"MCAUSER": "nobody"} if proven else {}))
        partners = []
        for number in range(6):
            partners.append(Partner(served.port))
            partners[-1].agree(queue_manager=f"P{number}")
            partners[-1].resynchronise()
        if proven:
            assert len(served.event_loop.message_links) == 6
        else:
            for late in partners[4:]:
                assert late.refused().code == Status.CHANNEL_UNAVAILABLE
            made = silent(served, 30)  # and nobody who waits pushes out one that has work to do
            wait_until(lambda: len(served.event_loop.strangers) == 8)
            assert len(served.event_loop.message_links) == 4
            (line,) = [text for text in said if text.startswith("AMQ9597W")]
            assert "127.0.0.1" in line
            for one in made:
                one.close()
        for partner in partners:
            partner.socket.close()
        wait_until(lambda: not served.event_loop.sockets and not served.event_loop.strangers)
        with Partner(served.port) as partner:
            partner.agree()
            partner.resynchronise()  # there is room again
            assert len(served.event_loop.message_links) == 1


def test_a_log_in_whose_password_is_looked_at_is_not_pushed_out(tmp_path: Path) -> None:
    with serving(tmp_path, pending_per_address_max=3) as served, Peer(served.port) as peer:
        set_password(served.event_loop.manager.core.files, served.event_loop.folder, "app", "secret")
        peer.negotiate()
        body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
        with served.event_loop.lock:  # the thread that decides waits for it
            made = []
            peer.send(
                frame(Type.CONAUTH_INFO, session_flows.pack_credentials("app", "secret"), 1)
                + frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1)
            )
        made = silent(served, 9)
        while (flow := peer.answer()).kind != Type.MQCONN + 0x10:
            pass
        assert calls.unpack_api(flow.body).reason == C.MQRC_NONE
        for one in made:
            one.close()


class _Pushed(Link):
    """It has to give way in the very turn in which its socket becomes a link: it is not one yet when it hears of it."""

    __slots__ = ()

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        assert self.stranger is not None
        self.event_loop.loop.call_soon(self.stranger.shut)


def test_one_that_gives_way_while_it_becomes_a_link_is_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path) as served:
        with monkeypatch.context() as patched:
            patched.setattr(event_loop, "Link", _Pushed)
            for _ in range(3):
                with Peer(served.port) as peer:
                    peer.send(b"T")
                    assert peer.receive() is None
        wait_until(lambda: not served.event_loop.links and not served.event_loop._attaching)
        assert served.in_loop(lambda: served.event_loop.sockets) == 0
        assert not served.event_loop.strangers
        with Peer(served.port).connect():
            assert served.event_loop.sockets == 1


def test_sockets_beyond_all_limits_are_told_in_the_log(tmp_path: Path) -> None:
    said: list[str] = []
    with serving(tmp_path, said, links_max=2) as served:
        peers = [Peer(served.port).connect() for _ in range(2)]
        with pytest.raises(MQError):
            libremq.connect(served.url("mq"))
        made = silent(served, 60)
        wait_until(lambda: any(text.startswith("AMQ9513E") and "127.0.0.1" in text for text in list(said)))
        for one in (*made, *(peer.socket for peer in peers)):
            one.close()


@pytest.mark.parametrize(
    ("stanza", "open_files", "pending", "per_address"),
    [
        ("", 1 << 20, 4000, 1000),
        ("TCP:\n  MaxPendingConnections=100\n  MaxPendingPerAddress=7\n", 1 << 20, 100, 7),
        ("", 1024, 384, 192),  # half and a quarter of 768 sockets
        ("", 16, 6, 3),
    ],
)
def test_how_many_there_may_be(stanza: str, open_files: int, pending: int, per_address: int) -> None:
    found = server_limits(parse(stanza), open_files, MEMORY)
    assert (found.pending_max, found.pending_per_address_max) == (pending, per_address)
