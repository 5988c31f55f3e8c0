"""Which binding a name means, and what happens on the way to a server that is not there."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

import libremq
from libremq.client import connecting, urls
from libremq.client.urls import ClientAddress, TableAddress
from libremq.client.verbs import MQCONN, MQCONNX
from libremq.common.names import socket_paths
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCNO

SMALL = LogConfig(file_pages=64)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB", "MQSSLKEYR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    return tmp_path


def make(*names: str) -> None:
    for name in names:
        libremq.connect(f"embedded:{quote(name, safe='')}?create=1", log_config=SMALL).close()


@contextmanager
def listening(name: str) -> Iterator[None]:
    path = ClientAddress("local", name).socket_path
    socket_paths.make_socket_folder(path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen(5)
        yield


def client(url: str) -> ClientAddress:
    address = urls.parse(url)
    assert isinstance(address, ClientAddress)
    return address


# url_for


def test_a_url_is_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSERVER", "A/TCP/host")
    for url in ("embedded:QM1?create=1", "local:QM1", "mq://host/QM1", "nonsense:"):
        assert connecting.url_for(url) == url


def test_mqserver_counts_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQCCDTURL", "file:///x.json")
    monkeypatch.setenv("MQSERVER", "DEV.APP.SVRCONN/TCP/a(1500),b")
    for name in ("QM1", "*GROUP", "*", ""):
        assert client(connecting.url_for(name)) == ClientAddress(
            "mq", name, hosts=(("a", 1500), ("b", 1414)), channel="DEV.APP.SVRCONN"
        )
    monkeypatch.setenv("MQSERVER", "nonsense")
    with pytest.raises(libremq.MQError, match="MQSERVER"):
        connecting.url_for("QM1")


def test_then_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQCHLLIB", str(tmp_path / "a&b"))
    monkeypatch.setenv("MQCHLTAB", "x?.json")
    assert urls.parse(connecting.url_for("*QM1")) == TableAddress("ccdt", "*QM1", str(tmp_path / "a&b" / "x?.json"))
    monkeypatch.setenv("MQCCDTURL", "http://host/t.json")
    assert urls.parse(connecting.url_for("")) == TableAddress("ccdt", "", "http://host/t.json")


def test_then_a_server_here_then_an_embedded_one() -> None:
    make("A/B%C")
    assert connecting.url_for("A/B%C") == "embedded:A%2FB%25C"
    with listening("A/B%C"):
        assert connecting.url_for("A/B%C   ") == "local:A%2FB%25C"
    # Its socket is still there, but nobody answers.
    assert os.path.exists(ClientAddress("local", "A/B%C").socket_path)
    assert connecting.url_for("A/B%C") == "embedded:A%2FB%25C"
    with connected("A/B%C") as name:
        assert name == "A/B%C"


@contextmanager
def connected(name: str) -> Iterator[str]:
    mqi = MQCONN(name)
    try:
        yield mqi.binding.qmgr_name
    finally:
        mqi.MQDISC()


def test_an_empty_name_is_the_only_queue_manager_or_the_default(data: Path) -> None:
    with pytest.raises(libremq.MQError, match="crtmqm"):
        connecting.url_for("")
    make("QM.1")
    (data / "qmgrs" / "empty").mkdir()
    (data / "qmgrs" / "no name").mkdir()
    assert connecting.url_for("") == "embedded:QM.1"
    with connected("") as name:
        assert name == "QM.1"
    make("QM2")
    with pytest.raises(libremq.MQError, match=r"none of QM\.1, QM2 is: name one") as caught:
        connecting.url_for("")
    assert caught.value.reason == C.MQRC_Q_MGR_NAME_ERROR
    (data / "mqs.ini").write_text("# mine\nDefaultQueueManager:\n   Name=QM2\n")
    assert connecting.url_for("") == "embedded:QM2"
    with listening("QM2"):
        assert connecting.url_for("") == "local:QM2"
    (data / "mqs.ini").write_text("DefaultQueueManager:\n   Name=QM 2\n")
    with pytest.raises(libremq.MQError, match="not a queue manager name"):
        connecting.url_for("")


@pytest.mark.parametrize("name", ["QM 1", "x" * 49, "**", "\N{SNOWMAN}"])
def test_a_name_that_no_queue_manager_has(name: str) -> None:
    with pytest.raises(libremq.MQError, match="not a queue manager name") as caught:
        connecting.url_for(name)
    assert caught.value.reason == C.MQRC_Q_MGR_NAME_ERROR


def test_a_group_needs_a_client_channel() -> None:
    for name in ("*", "*GROUP"):
        with pytest.raises(libremq.MQError, match="MQSERVER") as caught:
            MQCONN(name)
        assert caught.value.reason == C.MQRC_Q_MGR_NAME_ERROR


def test_a_name_that_is_no_text() -> None:
    with pytest.raises(TypeError):
        connecting.url_for(5)  # type: ignore[arg-type]


def test_options_that_ask_for_reconnection_in_two_ways() -> None:
    make("QM1")
    cno = MQCNO(Options=C.MQCNO_RECONNECT | C.MQCNO_RECONNECT_DISABLED)
    with pytest.raises(libremq.MQError) as caught:
        MQCONNX("QM1", cno)
    assert caught.value.reason == C.MQRC_OPTIONS_ERROR
    MQCONNX("QM1", MQCNO(Options=C.MQCNO_RECONNECT_Q_MGR)).MQDISC()


# client_addresses


def test_arguments_count_more_than_the_url() -> None:
    address = client("mq://alice:one@host/QM1?reconnect=yes")
    (found,) = connecting.client_addresses(address, user="bob", password="two", reconnect="qmgr")
    assert (found.user, found.password, found.reconnect) == ("bob", "two", "qmgr")
    (found,) = connecting.client_addresses(address, password="two")
    assert (found.user, found.password, found.reconnect) == ("alice", "two", "yes")
    with pytest.raises(libremq.MQError, match="a password needs a user"):
        connecting.client_addresses(client("mq://host/QM1"), password="two")


def test_arguments_count_for_a_table_too(tmp_path: Path) -> None:
    def channel(name: str, reconnect: str) -> dict[str, object]:
        return {
            "name": name,
            "type": "clientConnection",
            "clientConnection": {"connection": [{"host": name.lower()}], "queueManager": "QM1"},
            "connectionManagement": {"defaultReconnect": reconnect},
        }

    (tmp_path / "t.json").write_text(json.dumps({"channel": [channel("B", "no"), channel("A", "disabled")]}))
    address = urls.parse(f"ccdt:QM1?table={quote(str(tmp_path))}/t.json")
    assert isinstance(address, TableAddress)
    found = connecting.client_addresses(address, user="bob", password="two", reconnect="yes")
    assert [(one.hosts[0][0], one.user, one.password, one.reconnect) for one in found] == [
        ("a", "bob", "two", "disabled"),
        ("b", "bob", "two", "yes"),
    ]


# Servers that are not there


def test_a_queue_manager_that_is_not_there() -> None:
    with pytest.raises(libremq.QueueManagerNotAvailable, match="libremq crtmqm QM1") as caught:
        libremq.connect("local:QM1")
    assert caught.value.reason == C.MQRC_Q_MGR_NAME_ERROR


def test_a_queue_manager_that_is_not_running(data: Path) -> None:
    make("QM1")
    with pytest.raises(libremq.QueueManagerNotAvailable, match=r"not running; .*'libremq strmqm QM1'") as caught:
        libremq.connect("local:QM1")
    assert caught.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE
    with pytest.raises(libremq.QueueManagerNotAvailable, match=f"strmqm QM1 -md {data}'"):
        libremq.connect(f"local:QM1?data={quote(str(data))}")


def test_a_queue_manager_that_someone_has_embedded() -> None:
    with (
        libremq.connect("embedded:QM1?create=1", log_config=SMALL),
        pytest.raises(libremq.QueueManagerNotAvailable, match=rf"process {os.getpid()} .*serves nobody else") as caught,
    ):
        libremq.connect("local:QM1")
    assert caught.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE


def test_a_socket_that_a_killed_server_left() -> None:
    make("QM1")
    with listening("QM1"):
        pass
    with pytest.raises(libremq.QueueManagerNotAvailable, match="strmqm QM1") as caught:
        libremq.connect("local:QM1")
    assert caught.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE


def test_a_socket_folder_that_others_can_write_to_is_not_trusted() -> None:
    make("QM1")
    with listening("QM1"):
        folder = os.path.dirname(ClientAddress("local", "QM1").socket_path)
        os.chmod(folder, 0o777)
        with pytest.raises(libremq.QueueManagerNotAvailable, match="can be written to by others"):
            libremq.connect("local:QM1")


def test_what_is_for_an_embedded_one_only() -> None:
    for url in ("local:QM1", "mq://host/QM1", "ccdt:QM1?table=x"):
        with pytest.raises(libremq.MQError, match="log_config is for an embedded queue manager") as caught:
            libremq.connect(url, log_config=SMALL)
        assert caught.value.reason == C.MQRC_OPTIONS_ERROR


def test_a_password_of_a_wrong_type_is_not_shown() -> None:
    with pytest.raises(TypeError) as caught:
        libremq.connect("embedded:QM1", password=b"hunter2")  # type: ignore[arg-type]
    assert "hunter2" not in str(caught.value)


def test_an_embedded_one_asks_for_no_password() -> None:
    with libremq.connect("embedded:QM1?create=1", user="alice", password="any", log_config=SMALL) as qm:
        assert (qm.user, qm.url) == ("alice", "embedded:QM1?create=1")


def test_a_backup_is_named_by_its_folder() -> None:
    for url in ("mq://host/QM1", "local:QM1"):
        with pytest.raises(libremq.MQError, match="embedded: URL"):
            libremq.backup.is_backup(url)
