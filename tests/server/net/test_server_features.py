"""What a client may ask of a connection, end to end: shared sockets, address lists, tables, users, sudden death."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from helper_peers import Peer, get_flow, wait_until

import libremq
from helper_ports import free_port
from libremq.client.connecting import url_for
from libremq.common.users_file import set_groups, set_password
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing.serving import Served, served_queue_manager

QUEUE = "FEATURE.Q"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
        yield served


def sockets(served: Served) -> int:
    """Of TCP clients."""
    return served.in_loop(lambda: sum(not link.local for link in served.event_loop.links))


# Shared conversations


@pytest.mark.parametrize(("channel_says", "client_says", "wanted"), [(10, 10, 1), (4, 10, 2), (10, 3, 2), (1, 10, 5)])
def test_conversations_share_sockets_as_far_as_was_agreed(
    served: Served, channel_says: int, client_says: int, wanted: int
) -> None:
    """Five connections of one program, on as few sockets as may be."""
    with libremq.connect(served.url("local")) as qm:
        qm.define("CHANNEL", "SHARED.SVRCONN", CHLTYPE="SVRCONN", SHARECNV=channel_says)
    with libremq.connect(served.url("mq", channel="SHARED.SVRCONN", sharing=client_says)) as qm:
        access = qm.mqi._access
        bindings = [qm.mqi.binding, *(access.connect("somebody", "shared") for _ in range(4))]
        assert len({id(binding.link) for binding in bindings}) == wanted == sockets(served)
        assert len({binding.hconn for binding in bindings}) == 5
        for binding in bindings[1:]:
            binding.disconnect()
        assert qm.queue(QUEUE).depth == 0


def test_a_channel_without_conversation_ids_is_refused_by_this_client(served: Served) -> None:
    with libremq.connect(served.url("local")) as qm:
        qm.define("CHANNEL", "OLD.SVRCONN", CHLTYPE="SVRCONN", SHARECNV=0)
    with pytest.raises(MQError) as caught:
        libremq.connect(served.url("mq", channel="OLD.SVRCONN"))
    assert caught.value.reason == C.MQRC_CHANNEL_CONFIG_ERROR and "SHARECNV(0)" in caught.value.detail


def test_a_conversation_that_waits_does_not_hold_up_the_others_on_its_socket(served: Served) -> None:
    with libremq.connect(served.url("mq")) as qm:
        queue = qm.queue(QUEUE)
        found: list[str] = []
        thread = threading.Thread(target=lambda: found.append(qm.queue(QUEUE).get(wait=60).text))
        thread.start()
        wait_until(lambda: len(served.event_loop.manager.core.waiters) == 1)
        assert queue.depth == 0
        assert sockets(served) == 1
        queue.put("for the one that waits")
        thread.join(60)
        assert found == ["for the one that waits"]


# Addresses


def test_a_list_of_addresses_is_tried_in_turn(served: Served) -> None:
    with libremq.connect(f"mq://127.0.0.1:{free_port()},127.0.0.1:{served.port}/{served.name}") as qm:
        assert qm.queue(QUEUE).depth == 0


def test_a_list_of_addresses_where_nobody_is() -> None:
    dead, dead_too = free_port(), free_port()
    with pytest.raises(MQError) as caught:
        libremq.connect(f"mq://127.0.0.1:{dead},127.0.0.1:{dead_too}/QM1")
    assert caught.value.reason == C.MQRC_HOST_NOT_AVAILABLE
    assert f"{dead}" in caught.value.detail and f"{dead_too}" in caught.value.detail


def test_what_answers_is_no_queue_manager(served: Served) -> None:
    """The next address is tried."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            accepted, _ = listener.accept()
            with accepted:
                accepted.sendall(b"220 mail.example ESMTP\r\n")
                accepted.recv(4096)

        thread = threading.Thread(target=greet)
        thread.start()
        port = listener.getsockname()[1]
        with libremq.connect(f"mq://127.0.0.1:{port},127.0.0.1:{served.port}/{served.name}") as qm:
            assert qm.queue(QUEUE).depth == 0
        thread.join(60)


def test_the_name_of_another_queue_manager(served: Served) -> None:
    with pytest.raises(MQError) as caught:
        libremq.connect(f"mq://127.0.0.1:{served.port}/OTHER").queue(QUEUE).depth  # noqa: B018
    assert caught.value.reason == C.MQRC_Q_MGR_NAME_ERROR
    for name in ("", "*", "*GROUP"):
        with libremq.connect(f"mq://127.0.0.1:{served.port}/{name}") as qm:
            assert qm.name == served.name


def test_mqserver_says_where(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSERVER", f"SYSTEM.DEF.SVRCONN/TCP/127.0.0.1({free_port()}),127.0.0.1({served.port})")
    with libremq.connect(url_for(served.name)) as qm:
        qm.put(QUEUE, "by MQSERVER")
        assert qm.queue(QUEUE).get().text == "by MQSERVER"
        assert sockets(served) == 1


def test_a_table_says_where(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first channel of the table leads nowhere, the second one to the queue manager."""
    with libremq.connect(served.url("local")) as qm:
        qm.define("CHANNEL", "TABLE.SVRCONN", CHLTYPE="SVRCONN", SHARECNV=5)
    channels = [
        {
            "name": name,
            "type": "clientConnection",
            "clientConnection": {"connection": [{"host": "127.0.0.1", "port": port}], "queueManager": served.name},
            "connectionManagement": {"sharingConversations": 7, "affinity": "preferred"},
        }
        for name, port in (("DEAD.SVRCONN", free_port()), ("TABLE.SVRCONN", served.port))
    ]
    (tmp_path / "ccdt.json").write_text(json.dumps({"channel": channels}), encoding="utf-8")
    monkeypatch.delenv("MQSERVER", raising=False)
    monkeypatch.setenv("MQCHLLIB", str(tmp_path))
    monkeypatch.setenv("MQCHLTAB", "ccdt.json")
    for url in (url_for(served.name), f"ccdt:{served.name}?table={tmp_path}/ccdt.json"):
        with libremq.connect(url) as qm:
            qm.put(QUEUE, "by a table")
            assert qm.queue(QUEUE).get().text == "by a table"
            agreed = qm.mqi.binding.link.agreed
            assert (agreed.channel, agreed.sharing) == ("TABLE.SVRCONN", 5)


# Users


@pytest.fixture
def guarded(served: Served) -> Served:
    files, folder = served.event_loop.manager.core.files, served.event_loop.folder
    with libremq.connect(served.url("local")) as qm:
        qm.define("CHANNEL", "APP.SVRCONN", CHLTYPE="SVRCONN", MCAUSER="app")
        qm.define("CHANNEL", "GUEST.SVRCONN", CHLTYPE="SVRCONN", MCAUSER="guest")
    set_password(files, folder, "app", "app's secret")
    set_password(files, folder, "admin", "admin's secret")
    set_groups(files, folder, "admin", ["mqm"])
    return served


def as_user(served: Served, user: str, password: str, channel: str = "SYSTEM.DEF.SVRCONN") -> str:
    who = f"{quote(user)}:{quote(password)}@" if user else ""
    return f"mq://{who}127.0.0.1:{served.port}/{served.name}?channel={channel}"


def user_of(message: libremq.Message) -> str:
    return str(message.md.UserIdentifier).strip()


def test_the_right_password(guarded: Served) -> None:
    with libremq.connect(as_user(guarded, "app", "app's secret")) as qm, qm.queue(QUEUE) as queue:
        queue.put("from app")
        assert user_of(queue.get()) == "app"


@pytest.mark.parametrize(
    ("user", "password"), [("app", "a guess"), ("app", "admin's secret"), ("nobody", "app's secret")]
)
@pytest.mark.parametrize("channel", ["SYSTEM.DEF.SVRCONN", "APP.SVRCONN"])
def test_a_wrong_password(guarded: Served, user: str, password: str, channel: str) -> None:
    with pytest.raises(MQError) as caught:
        libremq.connect(as_user(guarded, user, password, channel)).queue(QUEUE).depth  # noqa: B018
    assert caught.value.reason == C.MQRC_NOT_AUTHORIZED
    assert password not in caught.value.detail
    wait_until(lambda: guarded.event_loop.connection_count() == 0)


def test_a_channel_gives_its_user_to_those_who_come(guarded: Served) -> None:
    """MCAUSER, unless a password has proved another one (ADOPTCTX)."""
    with libremq.connect(as_user(guarded, "admin", "admin's secret", "APP.SVRCONN")) as qm:
        qm.put(QUEUE, "x")
    with libremq.connect(as_user(guarded, "", "", "GUEST.SVRCONN")) as qm, qm.queue(QUEUE) as queue:
        qm.put(QUEUE, "y")
        assert [user_of(queue.get()) for _ in range(2)] == ["admin", "guest"]


def test_commands_are_for_administrators(guarded: Served) -> None:
    with libremq.connect(as_user(guarded, "admin", "admin's secret")) as qm:
        qm.define_local("BY.ADMIN")
    strangers = (
        as_user(guarded, "app", "app's secret"),
        as_user(guarded, "app", "app's secret", "APP.SVRCONN"),
        as_user(guarded, "", "", "GUEST.SVRCONN"),
    )
    for url in strangers:
        with libremq.connect(url) as qm:
            with pytest.raises(MQError) as caught:
                qm.define_local("BY.APP")
            assert caught.value.reason == C.MQRC_NOT_AUTHORIZED
            assert qm.queue(QUEUE).depth == 0


def test_passwords_are_checked_beside_the_work_of_others(guarded: Served) -> None:
    """A check takes long on purpose. Many at once hold up nobody who is connected."""
    guesses: list[int] = []
    enough = threading.Event()

    def guess() -> None:
        while not enough.is_set():
            with pytest.raises(MQError):
                libremq.connect(as_user(guarded, "app", "a guess")).queue(QUEUE).depth  # noqa: B018
            guesses.append(1)

    with libremq.connect(guarded.url("local")) as qm, qm.queue(QUEUE) as queue:
        threads = [threading.Thread(target=guess) for _ in range(4)]
        for thread in threads:
            thread.start()
        meanwhile = 0

        def work() -> bool:
            nonlocal meanwhile
            queue.put("x", persistent=False)
            assert queue.get().text == "x"
            meanwhile += 1
            return meanwhile > len(guesses) >= 20

        try:
            wait_until(work, "more work than guesses")
        finally:
            enough.set()
            for thread in threads:
                thread.join(240)


# Applications that die

_APPLICATION = """
import sys, libremq
qm = libremq.connect(sys.argv[1])
queue = qm.queue("FEATURE.Q", exclusive=True)
temporary = qm.dynamic_queue()
unit = qm.transaction()
unit.__enter__()
got = queue.get().text
queue.put("never seen")
print(f"{got}/{temporary.name}", flush=True)
waits = libremq.connect(sys.argv[1])
waits.queue("WAITED.Q").get(wait=600)
"""


@pytest.mark.parametrize("binding", ["mq", "local"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_application_that_is_killed(served: Served, binding: str, how: signal.Signals) -> None:
    """Its unit of work is backed out, its handles are closed, its temporary queue and its waiting get are gone."""
    with libremq.connect(served.url("local")) as qm:
        qm.define_local("WAITED.Q")
        qm.put(QUEUE, "goes back")
        process = subprocess.Popen(
            [sys.executable, "-c", _APPLICATION, served.url(binding)], stdout=subprocess.PIPE, text=True
        )
        with process:
            assert process.stdout is not None
            got, _, temporary = process.stdout.readline().strip().partition("/")
            assert got == "goes back"
            wait_until(lambda: len(served.event_loop.manager.core.waiters) == 1, "the get waits")
            assert qm.display("QLOCAL", temporary)
            with pytest.raises(MQError) as caught:
                qm.queue(QUEUE).get()
            assert caught.value.reason == C.MQRC_OBJECT_IN_USE
            process.send_signal(how)
        loop = served.event_loop
        wait_until(lambda: len(loop.links) == 1 and not loop.manager.core.waiters, "it is gone")
        assert not qm.display("QLOCAL", temporary)
        with qm.queue(QUEUE) as queue:
            message = queue.get()
            assert (message.text, message.md.BackoutCount) == ("goes back", 1)
            assert queue.get_or_none() is None
        qm.put("WAITED.Q", "for nobody")
        assert qm.queue("WAITED.Q").depth == 1


def test_a_message_that_was_on_its_way_to_an_application_that_died(served: Served) -> None:
    """In a unit of work it goes back, whether or not its reply had left."""
    with libremq.connect(served.url("local")) as qm, qm.queue(QUEUE) as queue:
        for number in range(20):
            peer = Peer(served.port).connect()
            hobj = peer.open(QUEUE, C.MQOO_INPUT_SHARED)
            peer.send(get_flow(hobj, C.MQGMO_WAIT | C.MQGMO_SYNCPOINT, 60_000))
            wait_until(lambda: len(served.event_loop.manager.core.waiters) == 1)
            queue.put(f"{number}")
            peer.socket.close()
            wait_until(lambda: sockets(served) == 0)
            assert queue.get().text == f"{number}"
        assert queue.depth == 0
