"""Client channel definition tables in JSON: what they say, which channels are tried in which order, what is refused."""

from __future__ import annotations

import http.server
import json
import random
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq import MQError
from libremq.client import ccdt
from libremq.client.ccdt import ClientChannel
from libremq.client.urls import TableAddress
from libremq.mqi import constants as C


def channel(name: str = "A", manager: str = "QM1", host: str = "h", **sections: Any) -> dict[str, Any]:
    connection = {"connection": [{"host": host, "port": 1500}], "queueManager": manager}
    return {"name": name, "type": "clientConnection", "clientConnection": connection, **sections}


def weighted(name: str, weight: int, affinity: str = "preferred", manager: str = "GROUP") -> dict[str, Any]:
    return channel(name, manager, name.lower(), connectionManagement={"clientWeight": weight, "affinity": affinity})


def parsed(*channels: Any) -> list[ClientChannel]:
    return ccdt.parse(json.dumps({"channel": channels}).encode(), "t.json")


def names(*channels: Any, seed: int | None = None, host_name: str = "box") -> list[str]:
    choice = None if seed is None else random.Random(seed)
    return [one.name for one in ccdt.in_order(parsed(*channels), choice=choice, host_name=host_name)]


def written(folder: Path, *channels: Any, name: str = "ccdt.json") -> str:
    path = folder / name
    path.write_text(json.dumps({"channel": channels}))
    return str(path)


def test_everything_a_channel_may_say() -> None:
    assert parsed(
        {
            "general": {"description": "a channel", "maximumMessageLength": 4194304},
            "name": "APP.SVRCONN",
            "type": "clientConnection",
            "clientConnection": {
                "connection": [{"host": "a.example", "port": 1415}, {"host": "2001:db8::1"}],
                "queueManager": "QM1",
            },
            "connectionManagement": {
                "affinity": "none",
                "clientWeight": 5,
                "defaultReconnect": "queueManager",
                "heartbeatInterval": 20,
                "keepAliveInterval": 360,
                "sharingConversations": 1,
                "localAddress": [{"host": "x", "port": 1}],
            },
            "transmissionSecurity": {
                "cipherSpecification": "ANY_TLS13",
                "certificateLabel": "mine",
                "certificatePeerName": "CN=QM1",
            },
            "exits": {"security": {"name": "x"}},
        }
    ) == [
        ClientChannel(
            "APP.SVRCONN",
            "QM1",
            (("a.example", 1415), ("2001:db8::1", 1414)),
            weight=5,
            preferred=False,
            reconnect="qmgr",
            heartbeat_s=20,
            sharing=1,
            max_message_bytes=4194304,
            cipher="ANY_TLS13",
            certificate_label="mine",
            peer_name="CN=QM1",
        )
    ]


def test_a_channel_that_says_little_has_the_defaults() -> None:
    assert parsed(channel()) == [ClientChannel("A", "QM1", (("h", 1500),))]
    empty = {"cipherSpecification": "", "certificateLabel": "", "certificatePeerName": ""}
    assert parsed(channel(transmissionSecurity=empty)) == [ClientChannel("A", "QM1", (("h", 1500),))]
    assert parsed(channel(connectionManagement={"heartInterval": 7}))[0].heartbeat_s == 7
    assert parsed(channel(general={"maximumMessageLength": 0}))[0].max_message_bytes == 104857600


def test_other_channels_and_attributes_are_skipped() -> None:
    other = {"name": "TO.QM2", "type": "sender", "clientConnection": "whatever"}
    assert [one.name for one in parsed(other, channel("B", later={"x": [1]}))] == ["B"]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ([], "the table is an object"),
        ({}, "channel is missing"),
        ({"channel": {}}, "channel is a list"),
        ({"channel": [5]}, "channel[0] is an object"),
        ({"channel": [None]}, "channel[0] is missing"),
        ({"channel": [{"name": "A"}]}, "channel[0].type is missing"),
        ({"channel": [channel(), channel(type=5)]}, "channel[1].type is text, not 5"),
        ({"channel": [{"type": "clientConnection"}]}, "channel[0].name is missing"),
        ({"channel": [channel(name="A B")]}, "channel[0].name cannot be used: 'A B' is not a channel name"),
        ({"channel": [channel(manager="QM 1")]}, "channel[0].clientConnection.queueManager cannot be used"),
        ({"channel": [channel(clientConnection={})]}, "channel[0].clientConnection.connection is missing"),
        ({"channel": [channel(clientConnection={"connection": []})]}, "lists no host"),
        ({"channel": [channel(clientConnection={"connection": [{}]})]}, "connection[0].host is missing"),
        ({"channel": [channel(host="a:b")]}, "channel[0].clientConnection.connection[0].host cannot be used"),
        (
            {"channel": [channel(clientConnection={"connection": [{"host": "h"}, {"host": "h", "port": "1414"}]})]},
            'channel[0].clientConnection.connection[1].port is a number from 1 to 65535, not "1414"',
        ),
        ({"channel": [channel(clientConnection={"connection": [{"host": "h", "port": True}]})]}, "not true"),
        ({"channel": [channel(connectionManagement={"clientWeight": 100})]}, "0 to 99"),
        ({"channel": [channel(connectionManagement={"affinity": 1})]}, "connectionManagement.affinity is one of"),
        ({"channel": [channel(connectionManagement={"defaultReconnect": "maybe"})]}, "no, yes, queueManager, disabled"),
        ({"channel": [channel(connectionManagement=[])]}, "channel[0].connectionManagement is an object"),
        ({"channel": [channel(transmissionSecurity={"cipherSpecification": "RC4_MD5_US"})]}, "SSL 3.0"),
        ({"channel": [channel(transmissionSecurity={"certificatePeerName": "x"})]}, "PeerName cannot be used"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(table: Any, says: str) -> None:
    with pytest.raises(ValueError) as caught:
        ccdt.parse(json.dumps(table).encode(), "t.json")
    assert isinstance(caught.value, MQError)
    assert says in str(caught.value)
    assert "t.json" in str(caught.value)


@pytest.mark.parametrize("data", [b"AMQR\0\0\0\x01", b"\xff\xfe\x00", b"AMQ CCDT"])
def test_a_binary_table_is_refused(data: bytes) -> None:
    with pytest.raises(MQError, match="binary channel table") as caught:
        ccdt.parse(data, "AMQCLCHL.TAB")
    assert caught.value.reason == C.MQRC_CHANNEL_CONFIG_ERROR


@pytest.mark.parametrize("data", [b"", b"{", b'{"channel": [,]}', b"[" * 100_000, b'{"channel": [1e999999]}'])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(MQError) as caught:
        ccdt.parse(data, "t.json")
    assert caught.value.reason == C.MQRC_CHANNEL_CONFIG_ERROR


def test_a_byte_order_mark_does_no_harm() -> None:
    assert ccdt.parse(b"\xef\xbb\xbf" + json.dumps({"channel": [channel()]}).encode(), "t")[0].name == "A"


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "type", "clientConnection", "connection", "host", "port", "queueManager", "general",
                 "connectionManagement", "clientWeight", "transmissionSecurity", "cipherSpecification"]
            ),
            inner | st.just("clientConnection"),
            max_size=5,
        )
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(_json, max_size=3))
def test_whatever_a_table_holds_it_is_read_or_refused(channels: list[Any]) -> None:
    try:
        parsed(*channels)
    except MQError as error:
        assert error.object_name == "t.json"


# Order


def test_channels_without_weight_come_first_by_name_and_by_place() -> None:
    table = [channel("B"), channel("C", host="1"), channel("A"), channel("C", host="2")]
    assert names(*table) == ["A", "B", "C", "C"]
    assert [one.hosts[0][0] for one in ccdt.in_order(parsed(*table))][2:] == ["1", "2"]
    assert names(weighted("A", 9), weighted("Z", 0), weighted("M", 0)) == ["M", "Z", "A"]


def test_the_heavier_are_tried_first_more_often() -> None:
    table = [weighted("A", 2, "none"), weighted("B", 4, "none"), weighted("C", 14, "none")]
    first = Counter(names(*table, seed=seed)[0] for seed in range(2000))
    assert set(first) == {"A", "B", "C"}
    assert 120 < first["A"] < 280 < 320 < first["B"] < 480 < 1200 < first["C"] < 1600
    assert all(sorted(names(*table, seed=seed)) == ["A", "B", "C"] for seed in range(20))


def test_with_affinity_a_machine_finds_the_same_order_each_time() -> None:
    table = [weighted(name, 10) for name in "ABCDEFGH"]
    assert len({tuple(names(*table)) for _ in range(20)}) == 1
    assert len({tuple(names(*table, host_name=f"box{number}")) for number in range(20)}) > 10


def test_without_affinity_it_does_not() -> None:
    table = [weighted(name, 10, "none") for name in "ABCDEFGH"]
    assert len({tuple(names(*table)) for _ in range(20)}) > 10


# From a name to addresses


def test_the_addresses_of_a_queue_manager_and_of_a_group(tmp_path: Path) -> None:
    table = written(
        tmp_path,
        channel("A", "QM1", "one", connectionManagement={"sharingConversations": 0, "defaultReconnect": "yes"}),
        channel("B", "QM2", "two"),
        channel("C", "", "three"),
        channel("D", "QM1", "four"),
    )

    def hosts(name: str) -> list[str]:
        found = ccdt.addresses(TableAddress("ccdt", name, table))
        assert all(one.name == name and one.scheme == "mq" for one in found)
        return [one.hosts[0][0] for one in found]

    assert hosts("QM1") == ["one", "four"]
    assert hosts("*QM1") == ["one", "four"]
    assert hosts("QM2") == ["two"]
    assert hosts("") == hosts("*") == ["three"]
    first = ccdt.addresses(TableAddress("ccdt", "QM1", table))[0]
    assert (first.channel, first.sharing, first.reconnect, first.tls) == ("A", 0, "yes", None)
    with pytest.raises(MQError, match="no channel with queueManager 'QM3'") as caught:
        hosts("*QM3")
    assert caught.value.reason == C.MQRC_Q_MGR_NAME_ERROR


def test_what_the_url_says_counts_unless_reconnection_is_forbidden(tmp_path: Path) -> None:
    table = written(
        tmp_path, channel("A"), channel("B", connectionManagement={"defaultReconnect": "disabled"}), name="t.json"
    )
    settings = (("reconnect", "yes"), ("call_timeout_s", 3.0))
    found = ccdt.addresses(TableAddress("ccdt", "QM1", table, settings))
    assert [(one.reconnect, one.call_timeout_s) for one in found] == [("yes", 3.0), ("disabled", 3.0)]


def test_a_channel_with_a_cipher_is_secured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    security = {"cipherSpecification": "ANY_TLS12_OR_HIGHER", "certificatePeerName": "CN=QM1"}
    table = written(tmp_path, channel("A", transmissionSecurity=security))
    monkeypatch.delenv("MQSSLKEYR", raising=False)
    address = ccdt.addresses(TableAddress("ccdt", "QM1", table))[0]
    assert address.scheme == "mqs"
    assert address.tls is not None
    assert (address.tls.ca, address.tls.verify, address.tls.peer_name) == ("", "full", "CN=QM1")
    monkeypatch.setenv("MQSSLKEYR", str(tmp_path / "keys"))
    with pytest.raises(MQError) as caught:
        ccdt.addresses(TableAddress("ccdt", "QM1", table))
    assert (caught.value.reason, caught.value.object_name) == (C.MQRC_KEY_REPOSITORY_ERROR, "A")
    (tmp_path / "keys").mkdir()
    secured = ccdt.addresses(TableAddress("ccdt", "QM1", table))[0].tls
    assert secured is not None
    assert (secured.ca, secured.certificate, secured.verify) == (str(tmp_path / "keys" / "trust.pem"), "", "ca")


# Where the table is


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (ccdt.LIBRARY_VARIABLE, ccdt.TABLE_VARIABLE, ccdt.URL_VARIABLE, ccdt.KEY_REPOSITORY_VARIABLE):
        monkeypatch.delenv(name, raising=False)


def test_where_the_environment_says_the_table_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ccdt.table_of_environment() == ""
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MQCHLTAB", "mine.json")
    assert ccdt.table_of_environment() == str(tmp_path / "data" / "mine.json")
    monkeypatch.setenv("MQCHLLIB", str(tmp_path))
    assert ccdt.table_of_environment() == str(tmp_path / "mine.json")
    monkeypatch.delenv("MQCHLTAB")
    assert ccdt.table_of_environment() == str(tmp_path / "ccdt.json")
    (tmp_path / "AMQCLCHL.TAB").write_bytes(b"AMQR\0")
    assert ccdt.table_of_environment() == str(tmp_path / "AMQCLCHL.TAB")
    written(tmp_path)
    assert ccdt.table_of_environment() == str(tmp_path / "ccdt.json")
    monkeypatch.setenv("MQCHLLIB", "http://host/folder/")
    assert ccdt.table_of_environment() == "http://host/folder/ccdt.json"
    monkeypatch.setenv("MQCCDTURL", "file:///x.json")
    assert ccdt.table_of_environment() == "file:///x.json"


def test_a_file_url_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    written(folder, channel("A"))
    assert ccdt.load((folder / "ccdt.json").as_uri())[0].name == "A"
    assert ccdt.load(f"file:{folder}/ccdt.json")[0].name == "A"


@pytest.mark.parametrize("table", ["/nowhere/ccdt.json", "file:///nowhere/ccdt.json", "ftp://host/x", "/", "\0"])
def test_a_table_that_is_not_there(table: str) -> None:
    with pytest.raises(MQError) as caught:
        ccdt.load(table)
    assert caught.value.reason == C.MQRC_CCDT_URL_ERROR


def test_a_table_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ccdt, "TABLE_BYTES_MAX", 10)
    with pytest.raises(MQError, match="10 bytes at most"):
        ccdt.load(written(tmp_path, channel()))


@pytest.fixture
def web() -> Iterator[str]:
    body = json.dumps({"channel": [channel("WEB")]}).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/ccdt.json" else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_table_from_the_web(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "*")
    assert ccdt.load(f"{web}/ccdt.json")[0].name == "WEB"
    with pytest.raises(MQError, match="Not Found") as caught:
        ccdt.load(f"{web}/other.json")
    assert caught.value.reason == C.MQRC_CCDT_URL_ERROR
