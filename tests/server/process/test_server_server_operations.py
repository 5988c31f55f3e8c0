"""What commands see and do of a queue manager that serves: its channels, connections, listeners and programs."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helper_server import NAME, Served, is_alive, served, until

import libremq
from helper_ports import free_port
from libremq.client.queue_manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.process.control_socket import ControlClient
from libremq.wire.protocol import PRODUCT_CLIENT


class Administrator:
    """A queue manager and somebody who types commands at it."""

    def __init__(self, qm: Served) -> None:
        self.served = qm
        self.port = qm.run.ports[0] if qm.run.ports else 0
        self.data = qm.folder.parent.parent
        self._manager = libremq.connect(f"local:{NAME}?data={self.data}", application="administrator")

    def close(self) -> None:
        self._manager.close()

    def rows(self, command: str) -> list[dict[str, Any]]:
        [answer] = self._manager.mqsc(command)
        return answer.rows

    def first(self, command: str) -> str:
        [answer] = self._manager.mqsc(command)
        return answer.lines[0]

    def done(self, command: str) -> str:
        [answer] = self._manager.mqsc(command)
        assert answer.state == "done", answer
        return answer.lines[0].partition(":")[0]

    def refused(self, command: str) -> str:
        [answer] = self._manager.mqsc(command)
        assert answer.state == "failed", answer
        return answer.lines[0]

    @contextmanager
    def client(self, channel: str = "APPS", *, user: str = "alice", application: str = "app") -> Iterator[QueueManager]:
        url = f"mq://127.0.0.1:{self.port}/{NAME}?channel={channel}"
        found = libremq.connect(url, user=user, application=application)
        try:
            yield found
        finally:
            try:
                found.close()
            except MQError as error:
                assert error.reason == C.MQRC_CONNECTION_BROKEN, error

    def status(self, channel: str = "APPS") -> list[dict[str, Any]]:
        return self.rows(f"DISPLAY CHSTATUS({channel}) ALL")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Administrator]:
    with served(tmp_path_factory.mktemp("operations") / "qmgrs" / NAME) as qm:
        qm.start()
        found = Administrator(qm)
        found.done("DEFINE CHANNEL(APPS) CHLTYPE(SVRCONN) SHARECNV(5) HBINT(777)")
        found.done("DEFINE QLOCAL(Q)")
        yield found
        found.close()


@pytest.fixture
def admin(running: Administrator) -> Iterator[Administrator]:
    """With no channel stopped, and no client left over from the test before."""
    yield running
    running.done("START CHANNEL(APPS)")
    until(lambda: not running.status(), "clients are gone")
    running.done("CLEAR QLOCAL(Q)")


def reason_of(error: pytest.ExceptionInfo[MQError]) -> int:
    return error.value.reason


# Channels


def test_the_status_of_a_client(admin: Administrator) -> None:
    assert admin.refused("DISPLAY CHSTATUS(APPS)").startswith("AMQ8420I")
    with admin.client(application="teapot") as client:
        [first] = admin.status()
        for _ in range(5):
            client.queue("Q").put("x" * 1000)
            client.queue("Q").get()
        [second] = admin.status()
        assert (first["channel"], first["chltype"], first["status"]) == ("APPS", "SVRCONN", "RUNNING")
        assert (first["conname"], first["mcauser"], first["rappltag"]) == ("127.0.0.1", "alice", "teapot")
        assert (first["maxshcnv"], first["hbint"], first["stopreq"]) == (5, 777, "NO")
        assert (first["rproduct"], first["rversion"]) == (PRODUCT_CLIENT[:4], PRODUCT_CLIENT[4:])
        assert first["curshcnv"] >= 1
        assert first["chstada"] and first["chstati"]
        assert second["chstati"] == first["chstati"]
        assert second["lstmsgda"] and second["lstmsgti"]
        assert second["msgs"] >= first["msgs"] + 10
        assert second["bytsrcvd"] > first["bytsrcvd"] + 5000
        assert second["bytssent"] > first["bytssent"] + 5000
        assert second["bufsrcvd"] > first["bufsrcvd"]
        assert second["bufssent"] > first["bufssent"]
        # What only message channels and others have is not shown
        assert not {"batches", "xmitq", "rqmname", "longrts", "amqpka", "xqtime"} & first.keys()
        # Without ALL, and chosen
        [brief] = admin.rows("DISPLAY CHSTATUS(AP*)")
        assert list(brief) == ["channel", "chltype", "conname", "current", "status", "substate"]
        assert len(admin.rows("DISPLAY CHSTATUS(*) WHERE(MSGS GT 0) RAPPLTAG")) == 1
        assert len(admin.rows("DISPLAY CHSTATUS(*) CONNAME('127.0.0.1')")) == 1
        assert admin.rows("DISPLAY CHSTATUS(*) CONNAME('127.0.0.10')") == []
        assert admin.rows("DISPLAY CHSTATUS(*) CONNAME('127')") == []
        assert admin.refused("DISPLAY CHSTATUS(APPS) SAVED").startswith("AMQ8420I")


def test_a_channel_that_is_in_use_is_not_deleted(admin: Administrator) -> None:
    admin.done("DEFINE CHANNEL(SHORT) CHLTYPE(SVRCONN)")
    with admin.client("SHORT") as client:
        assert admin.refused("DELETE CHANNEL(SHORT)").startswith("AMQ9514E")
        client.queue("Q").put("still connected")
        client.queue("Q").get()
    until(lambda: not admin.rows("DISPLAY CHSTATUS(SHORT)"))
    admin.done("DELETE CHANNEL(SHORT)")


def test_each_socket_is_an_instance(admin: Administrator) -> None:
    with admin.client(user="alice"), admin.client(user="bob"):
        assert sorted(one["mcauser"] for one in admin.status()) == ["alice", "bob"]


@pytest.mark.parametrize("mode", ["QUIESCE", "FORCE", "TERMINATE"])
def test_a_channel_that_is_stopped(admin: Administrator, mode: str) -> None:
    with admin.client() as client:
        client.queue("Q").put("before")
        assert admin.done(f"STOP CHANNEL(APPS) MODE({mode})") == "AMQ8019I"
        until(lambda: [one["status"] for one in admin.status()] == ["STOPPED"], "the channel is stopped")
        with pytest.raises(MQError) as broken:
            client.queue("Q").get()
        assert reason_of(broken) == C.MQRC_CONNECTION_BROKEN
        with pytest.raises(MQError) as refused, admin.client():
            pass
        assert reason_of(refused) == C.MQRC_CHANNEL_NOT_AVAILABLE
        assert "START CHANNEL" in str(refused.value)
    assert admin.done("STOP CHANNEL(APPS)") == "AMQ8019I"  # it is stopped: nothing to do
    assert admin.done("START CHANNEL(APPS)") == "AMQ8018I"
    with admin.client() as client:
        assert client.queue("Q").get().text == "before"


def test_only_the_instances_are_stopped(admin: Administrator) -> None:
    with admin.client() as client:
        client.queue("Q").put("before")
        admin.done("STOP CHANNEL(APPS) STATUS(INACTIVE)")
        until(lambda: not admin.status(), "the instance has ended")
        with pytest.raises(MQError):
            client.queue("Q").get()
    with admin.client() as client:
        assert client.queue("Q").get().text == "before"
    until(lambda: not admin.status(), "the client is gone")
    assert admin.refused("STOP CHANNEL(APPS) STATUS(INACTIVE)").startswith("AMQ9533")
    assert admin.done("STOP CHANNEL(APPS) STATUS(INACTIVE) IGNSTATE(YES)") == "AMQ8019I"


def test_only_those_of_an_address_are_stopped(admin: Administrator) -> None:
    with admin.client() as client:
        for address in ("127.0.0.2", "127.0.0.10", "127", "127.0.0.1(1)"):
            assert admin.refused(f"STOP CHANNEL(APPS) CONNAME('{address}')").startswith("AMQ9533")
        assert admin.refused("STOP CHANNEL(APPS) QMNAME(QM9)").startswith("AMQ9533")
        assert "STATUS(INACTIVE)" in admin.refused("STOP CHANNEL(APPS) CONNAME('127.0.0.1') STATUS(STOPPED)")
        client.queue("Q").put("still there")
        admin.done("STOP CHANNEL(APPS) CONNAME('127.0.0.1') MODE(FORCE)")
        until(lambda: not admin.status(), "the instance has ended")
    with admin.client() as client:
        assert client.queue("Q").get().text == "still there"


def test_a_stop_backs_out_and_loses_nothing(admin: Administrator) -> None:
    with admin.client() as client:
        client.queue("Q").put("kept")
        with pytest.raises(MQError), client.transaction():
            client.queue("Q").get()
            client.queue("Q").put("never seen")
            admin.done("STOP CHANNEL(APPS) MODE(FORCE)")
            until(lambda: [one["status"] for one in admin.status()] == ["STOPPED"], "the channel is stopped")
    admin.done("START CHANNEL(APPS)")
    with admin.client() as client:
        assert client.queue("Q").get().text == "kept"
        assert client.queue("Q").depth == 0


def test_channels_that_cannot_be_started_or_stopped(admin: Administrator) -> None:
    admin.done("DEFINE CHANNEL(CLUSTERED) CHLTYPE(CLUSRCVR) CONNAME(HERE) REPLACE")
    admin.done("DEFINE CHANNEL(ELSEWHERE) CHLTYPE(CLNTCONN) CONNAME(HERE) REPLACE")
    for verb in ("START", "STOP"):
        assert admin.refused(f"{verb} CHANNEL(NONE)").startswith("AMQ8227")
        assert "clusters" in admin.refused(f"{verb} CHANNEL(CLUSTERED)")
        assert admin.refused(f"{verb} CHANNEL(ELSEWHERE)").startswith("AMQ9502")


# Connections


def test_a_connection_over_tcp(admin: Administrator) -> None:
    with admin.client(user="carol", application="till") as client:
        client.queue("Q").put("x")
        [one] = admin.rows("DISPLAY CONN(*) WHERE(APPLTAG EQ 'till') ALL")
        assert (one["channel"], one["conname"], one["userid"]) == ("APPS", "127.0.0.1", "carol")
        assert one["pid"] == os.getpid()
        assert one["uowstate"] == "NONE"
        with client.transaction():
            client.queue("Q").get()
            found = admin.rows(f"DISPLAY CONN({one['conn']}) UOWSTATE")
            found += admin.rows("DISPLAY CONN(*) WHERE(UOWSTATE EQ ACTIVE) APPLTAG")
            assert [row["uowstate"] for row in found].count("ACTIVE") >= 1
    with libremq.connect(f"local:{NAME}?data={admin.data}", application="neighbour"):
        [local] = admin.rows("DISPLAY CONN(*) WHERE(APPLTAG EQ 'neighbour') ALL")
        assert (local["channel"], local["conname"], local["pid"]) == ("", "", os.getpid())


def test_the_handles_of_a_connection_and_of_a_queue(admin: Administrator) -> None:
    with admin.client(user="dave", application="reader") as client:
        client.queue("Q").put("x")
        with client.queue("Q").browse() as browser:
            assert next(browser).text == "x"
            conns = [row["conn"] for row in admin.rows("DISPLAY CONN(*) WHERE(APPLTAG EQ 'reader')")]
            held = [row for conn in conns for row in admin.rows(f"DISPLAY CONN({conn}) TYPE(HANDLE) ALL")]
            assert {row["objname"] for row in held} == {"Q"}
            assert {row["objtype"] for row in held} == {"QUEUE"}
            words = {word for row in held for word in row["openopts"]}
            assert "MQOO_BROWSE" in words
            both = admin.rows(f"DISPLAY CONN({conns[0]}) TYPE(ALL)")
            assert {row["type"] for row in both} >= {"CONN"}
            handles = admin.rows("DISPLAY QSTATUS(Q) TYPE(HANDLE) ALL")
            assert {row["appltag"] for row in handles} == {"reader"}
            assert {row["userid"] for row in handles} == {"dave"}
            assert {row["channel"] for row in handles} == {"APPS"}
            assert {row["pid"] for row in handles} == {os.getpid()}
            assert "YES" in {row["browse"] for row in handles}
            assert {row["input"] for row in handles} <= {"NO", "SHARED", "EXCL"}
            readers = admin.rows("DISPLAY QSTATUS(Q) TYPE(HANDLE) OPENTYPE(INPUT) BROWSE INPUT OUTPUT")
            assert readers
            assert all(row["browse"] == "YES" or row["input"] != "NO" for row in readers)
            writers = admin.rows("DISPLAY QSTATUS(Q) TYPE(HANDLE) OPENTYPE(OUTPUT) OUTPUT")
            assert all(row["output"] == "YES" for row in writers)
            assert len(writers) == sum(row["output"] == "YES" for row in handles)


def test_a_connection_that_is_stopped(admin: Administrator) -> None:
    with admin.client(application="victim") as client, admin.client(application="other") as other:
        client.queue("Q").put("kept")
        conns = [row["conn"] for row in admin.rows("DISPLAY CONN(*) WHERE(APPLTAG EQ 'victim')")]
        assert admin.done(f"STOP CONN({conns[0]})") == "AMQ8457I"
        until(lambda: not admin.rows("DISPLAY CONN(*) WHERE(APPLTAG EQ 'victim')"), "the connection is gone")
        with pytest.raises(MQError) as broken:
            client.queue("Q").get()
        assert reason_of(broken) == C.MQRC_CONNECTION_BROKEN
        assert other.queue("Q").get().text == "kept"
        assert admin.refused(f"STOP CONN({conns[0]})").startswith("AMQ8461")
    for name in ("0000000000000000", "FFFFFFFFFFFFFFFF", "xyz", "1"):
        assert admin.refused(f"STOP CONN({name})").startswith("AMQ8461")


# Listeners


def reachable(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def listener(admin: Administrator, name: str) -> str:
    found = admin.rows(f"DISPLAY LSSTATUS({name}) ALL")
    return str(found[0]["status"]) if found else ""


def test_a_listener(admin: Administrator) -> None:
    port = free_port()
    admin.done(f"DEFINE LISTENER(L1) TRPTYPE(TCP) PORT({port}) IPADDR('127.0.0.1') DESCR('ours') REPLACE")
    assert admin.refused("DISPLAY LSSTATUS(L1)").startswith("AMQ8147")
    assert admin.refused("STOP LISTENER(L1)").startswith("AMQ8731")
    assert admin.done("STOP LISTENER(L1) IGNSTATE(YES)") == "AMQ8706I"
    assert admin.done("START LISTENER(L1)") == "AMQ8021I"
    assert admin.refused("START LISTENER(L1)").startswith("AMQ8730")  # also before it really listens
    until(lambda: listener(admin, "L1") == "RUNNING", "it listens")
    [status] = admin.rows("DISPLAY LSSTATUS(L1) ALL")
    assert (status["port"], status["ipaddr"], status["descr"]) == (port, "127.0.0.1", "ours")
    assert status["pid"] == admin.served.run.process_id
    assert status["startda"] and status["startti"]
    assert admin.refused("START LISTENER(L1)").startswith("AMQ8730")
    assert admin.done("START LISTENER(L1) IGNSTATE(YES)") == "AMQ8021I"
    with libremq.connect(f"mq://127.0.0.1:{port}/{NAME}?channel=APPS", user="alice") as client:
        client.queue("Q").put("x")
        assert admin.done("STOP LISTENER(L1)") == "AMQ8706I"
        until(lambda: not listener(admin, "L1"), "it has stopped")
        until(lambda: not reachable(port), "nobody listens")
        assert client.queue("Q").get().text == "x"  # who is in stays in


def test_listeners_without_an_object_have_no_name(admin: Administrator) -> None:
    """Those of `strmqm -p`; `runmqlsr` asks for one in the same way."""
    port = admin.port
    nameless = [row for row in admin.rows("DISPLAY LSSTATUS(*) ALL") if not row["listener"]]
    assert port in {row["port"] for row in nameless}
    (found,) = (row for row in nameless if row["port"] == port)
    assert (found["status"], found["pid"], found["trptype"]) == ("RUNNING", admin.served.run.process_id, "TCP")
    assert found["startda"] and found["ipaddr"]
    admin.done(f"DEFINE LISTENER(L3) TRPTYPE(TCP) PORT({free_port()}) REPLACE")
    admin.done("START LISTENER(L3)")
    until(lambda: listener(admin, "L3") == "RUNNING")
    assert [row["listener"] for row in admin.rows("DISPLAY LSSTATUS(*)")].count("L3") == 1
    admin.done("STOP LISTENER(L3)")
    until(lambda: not listener(admin, "L3"))


def test_a_listener_that_is_altered_while_it_runs_is_stopped_where_it_is(admin: Administrator) -> None:
    first, second = free_port(), free_port()
    admin.done(f"DEFINE LISTENER(L2) TRPTYPE(TCP) PORT({first}) REPLACE")
    admin.done("START LISTENER(L2)")
    until(lambda: reachable(first))
    admin.done(f"ALTER LISTENER(L2) TRPTYPE(TCP) PORT({second})")
    assert admin.rows("DISPLAY LSSTATUS(L2) ALL")[0]["port"] == first
    admin.done("STOP LISTENER(L2)")
    until(lambda: not reachable(first))
    admin.done("START LISTENER(L2)")
    until(lambda: reachable(second))
    assert not reachable(first)
    admin.done("STOP LISTENER(L2)")
    until(lambda: not reachable(second))


def test_a_listener_or_service_that_runs_is_not_deleted(admin: Administrator) -> None:
    """Nobody could stop it any more: it would have no name."""
    port = free_port()
    admin.done(f"DEFINE LISTENER(GOES) TRPTYPE(TCP) PORT({port}) IPADDR('127.0.0.1') REPLACE")
    admin.done("DEFINE SERVICE(GOES) SERVTYPE(SERVER) CONTROL(MANUAL) STARTCMD('/bin/sleep') STARTARG('600') REPLACE")
    admin.done("START LISTENER(GOES)")
    admin.done("START SERVICE(GOES)")
    assert admin.refused("DELETE LISTENER(GOES)").startswith("AMQ8730")  # also before it really listens
    until(lambda: listener(admin, "GOES") == "RUNNING")
    assert admin.refused("DELETE LISTENER(GOES)").startswith("AMQ8730")
    assert admin.refused("DELETE SERVICE(GOES)").startswith("AMQ8736")
    admin.done("STOP LISTENER(GOES)")
    until(lambda: not listener(admin, "GOES"))
    admin.done("DELETE LISTENER(GOES)")
    admin.done("STOP SERVICE(GOES)")
    until(lambda: not service(admin, "GOES"))
    admin.done("DELETE SERVICE(GOES)")


def test_a_listener_is_stopped_by_its_name_not_by_its_address(admin: Administrator) -> None:
    port, other = free_port(), free_port()
    for name in ("SAME.A", "SAME.B"):
        admin.done(f"DEFINE LISTENER({name}) TRPTYPE(TCP) PORT({port}) IPADDR('127.0.0.1') REPLACE")
    admin.done(f"DEFINE LISTENER(ELSEWHERE) TRPTYPE(TCP) PORT({port}) IPADDR('127.0.0.2') REPLACE")
    admin.done("START LISTENER(SAME.A)")
    until(lambda: listener(admin, "SAME.A") == "RUNNING")
    assert listener(admin, "SAME.B") == ""
    assert admin.refused("STOP LISTENER(SAME.B)").startswith("AMQ8731")
    assert "LISTENER(SAME.A)" in admin.refused("START LISTENER(SAME.B)")
    assert reachable(port) and listener(admin, "SAME.A") == "RUNNING"
    admin.done("START LISTENER(ELSEWHERE)")  # the same port of another address
    until(lambda: listener(admin, "ELSEWHERE") == "RUNNING")
    admin.done("STOP LISTENER(ELSEWHERE)")
    until(lambda: not listener(admin, "ELSEWHERE"))
    assert reachable(port) and listener(admin, "SAME.A") == "RUNNING"
    admin.done("STOP LISTENER(SAME.A)")
    until(lambda: not reachable(port))
    until(lambda: not listener(admin, "SAME.A"))
    admin.done("START LISTENER(SAME.B)")  # now it is free
    until(lambda: listener(admin, "SAME.B") == "RUNNING")
    assert listener(admin, "SAME.A") == ""
    admin.done(f"ALTER LISTENER(SAME.B) TRPTYPE(TCP) PORT({other})")
    admin.done("STOP LISTENER(SAME.B)")
    until(lambda: not reachable(port))


def test_a_port_that_another_program_has(admin: Administrator) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        admin.done(f"DEFINE LISTENER(L3) TRPTYPE(TCP) PORT({port}) REPLACE")
        while True:
            given_up = admin.served.log().count("AMQ5053E")
            assert admin.done("START LISTENER(L3)") == "AMQ8021I"
            until(lambda: "AMQ9218" in admin.served.log(), "the error log says so")
            status, again, stop = (
                listener(admin, "L3"),
                admin.first("START LISTENER(L3)"),
                admin.first("STOP LISTENER(L3)"),
            )
            until(lambda: not listener(admin, "L3"), "it is not tried any more")
            if (status, again[:7], stop[:8]) == ("STARTING", "AMQ8730", "AMQ8706I"):
                break
            # It is tried for some seconds: on a busy machine nobody may look in that time
            until(lambda: admin.served.log().count("AMQ5053E") > given_up, f"{status} {again} {stop}")  # noqa: B023


def test_start_and_stop_in_a_hurry(admin: Administrator) -> None:
    port = free_port()
    admin.done(f"DEFINE LISTENER(L4) TRPTYPE(TCP) PORT({port}) REPLACE")
    for _ in range(5):
        admin.done("START LISTENER(L4)")
        admin.done("STOP LISTENER(L4)")
        until(lambda: not listener(admin, "L4"), "it has stopped")
    admin.done("START LISTENER(L4)")
    until(lambda: reachable(port))
    admin.done("STOP LISTENER(L4)")
    until(lambda: not reachable(port))
    assert admin.refused("START LISTENER(NONE)").startswith("AMQ8147")


# Services

SLEEPER = "import time\nprint('started', flush=True)\ntime.sleep(600)\n"
TELLER = "import json, os, sys\nprint(json.dumps([os.getcwd(), sys.argv[1:]]), flush=True)\n"


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    (tmp_path / "teller.py").write_text(TELLER)
    (tmp_path / "stopper.py").write_text(
        "import os, signal, sys\nopen(sys.argv[2], 'w').write(sys.argv[1])\nos.kill(int(sys.argv[1]), signal.SIGKILL)\n"
    )
    return tmp_path


def service(admin: Administrator, name: str) -> dict[str, Any]:
    found = admin.rows(f"DISPLAY SVSTATUS({name}) ALL")
    return found[0] if found else {}


def test_a_server(admin: Administrator, scripts: Path) -> None:
    out = scripts / "out"
    admin.done(
        f"DEFINE SERVICE(S1) SERVTYPE(SERVER) STARTCMD('{sys.executable}') STARTARG('{scripts}/sleeper.py') "
        f"STDOUT('{out}') DESCR('sleeps') REPLACE"
    )
    assert admin.refused("STOP SERVICE(S1)").startswith("AMQ8732")
    assert admin.done("START SERVICE(S1)") == "AMQ8733I"
    until(lambda: out.exists() and out.read_text() == "started\n")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    status = service(admin, "S1")
    assert (status["status"], status["servtype"], status["descr"]) == ("RUNNING", "SERVER", "sleeps")
    assert is_alive(status["pid"])
    assert status["startda"] and status["startti"]
    assert admin.refused("START SERVICE(S1)").startswith("AMQ8736")
    assert admin.done("START SERVICE(S1) IGNSTATE(YES)") == "AMQ8733I"
    assert admin.done("STOP SERVICE(S1)") == "AMQ8734I"
    until(lambda: not is_alive(status["pid"]))
    until(lambda: not service(admin, "S1"))
    assert admin.done("START SERVICE(S1)") == "AMQ8733I"
    os.kill(service(admin, "S1")["pid"], 9)
    until(lambda: not service(admin, "S1"), "one that dies has no status")
    assert admin.refused("STOP SERVICE(S1)").startswith("AMQ8732")


def test_a_server_with_a_command_that_stops_it(admin: Administrator, scripts: Path) -> None:
    told = scripts / "told"
    admin.done(
        f"DEFINE SERVICE(S2) SERVTYPE(SERVER) STARTCMD('{sys.executable}') STARTARG('{scripts}/sleeper.py') "
        f"STOPCMD('{sys.executable}') STOPARG('{scripts}/stopper.py +MQ_SERVER_PID+ {told}') REPLACE"
    )
    admin.done("START SERVICE(S2)")
    process = service(admin, "S2")["pid"]
    admin.done("STOP SERVICE(S2)")
    until(lambda: not is_alive(process))
    until(lambda: told.exists() and told.read_text() == str(process))
    until(lambda: not service(admin, "S2"))


def test_a_command(admin: Administrator, scripts: Path) -> None:
    """What a shell would do something with is only text; macros are filled in; a path is one in the data folder."""
    words = '+QMNAME+ "a b" $HOME `id` ; rm -rf / && echo > gone | cat * +MQ_Q_MGR_DATA_PATH+'
    admin.done(
        f"DEFINE SERVICE(S3) SERVTYPE(COMMAND) STARTCMD('{sys.executable}') STARTARG('{scripts}/teller.py {words}') "
        "STDOUT('s3.+QMNAME+.out') REPLACE"
    )
    assert admin.done("START SERVICE(S3)") == "AMQ8733I"
    folder = admin.served.folder
    out = folder / f"s3.{NAME}.out"
    until(lambda: out.exists() and out.read_text().endswith("\n"))
    where, given = json.loads(out.read_text())
    assert where == str(folder)
    assert given == [
        NAME, "a b", "$HOME", "`id`", ";", "rm", "-rf", "/", "&&", "echo", ">", "gone", "|", "cat", "*", str(folder),
    ]  # fmt: skip
    assert not (folder / "gone").exists()
    assert admin.refused("DISPLAY SVSTATUS(S3)").startswith("AMQ8147")  # started and forgotten
    assert admin.refused("STOP SERVICE(S3)").startswith("AMQ8732")


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ("STARTCMD('/no/such/program')", "/no/such/program"),
        ("STARTCMD('/etc')", "/etc"),
        ("STARTCMD('/bin/sh -c true')", "/bin/sh -c true"),  # a program of this name, not a line for a shell
        ("STARTCMD('/bin/true') STARTARG('\"not closed')", "arguments"),
        ("STARTCMD('/bin/true') STDOUT('/no/such/folder/out')", "STDOUT"),
        ("STARTCMD(' ')", "STARTCMD"),
    ],
)
def test_programs_that_cannot_be_started(admin: Administrator, attributes: str, said: str) -> None:
    admin.done(f"DEFINE SERVICE(S4) SERVTYPE(SERVER) {attributes} REPLACE")
    line = admin.refused("START SERVICE(S4)")
    assert said in line
    assert not service(admin, "S4")
    assert admin.refused("START SERVICE(NONE)").startswith("AMQ8147")


def end(qm: Served) -> None:
    client = ControlClient(qm.run.control, 30)
    assert client.ask("end", mode="immediate")["ok"]
    assert client.wait_closed(60)
    client.close()
    until(lambda: not qm.locked())


def test_programs_that_start_and_end_with_the_queue_manager(tmp_path: Path, scripts: Path) -> None:
    stubborn = scripts / "stubborn.py"
    stubborn.write_text("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + SLEEPER)
    with served(tmp_path / "qmgrs" / NAME) as qm:
        qm.start()
        admin = Administrator(qm)
        for name, control, script in (
            ("WITH", "QMGR", "sleeper"), ("STUBBORN", "QMGR", "stubborn"), ("STARTED", "STARTONLY", "sleeper"),
            ("BY.HAND", "MANUAL", "sleeper"),
        ):  # fmt: skip
            admin.done(
                f"DEFINE SERVICE({name}) CONTROL({control}) SERVTYPE(SERVER) STARTCMD('{sys.executable}') "
                f"STARTARG('{scripts}/{script}.py') STDOUT('{scripts}/{name}.out')"
            )
        admin.done("DEFINE SERVICE(MISSING) CONTROL(QMGR) SERVTYPE(SERVER) STARTCMD('/no/such/program')")
        assert admin.rows("DISPLAY SVSTATUS(*)") == []  # defined, not started
        admin.close()
        end(qm)
        qm.said.clear()
        qm.start()
        admin = Administrator(qm)
        running = {row["service"]: row["pid"] for row in admin.rows("DISPLAY SVSTATUS(*)")}
        assert set(running) == {"WITH", "STUBBORN", "STARTED"}
        assert "/no/such/program" in qm.log()
        until(lambda: all((scripts / f"{name}.out").exists() for name in running))
        until(lambda: all((scripts / f"{name}.out").read_text() for name in running))
        admin.close()
        try:
            end(qm)
            assert not is_alive(running["WITH"])
            assert not is_alive(running["STUBBORN"])
            assert is_alive(running["STARTED"])
        finally:
            for process in running.values():
                try:
                    os.kill(process, 9)
                except ProcessLookupError:
                    pass
