"""URLs of client connections: what they say, and what is said about those that say nothing sensible."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import libremq
from libremq.client import urls
from libremq.client.urls import Address, ClientAddress, TableAddress
from libremq.common.names.socket_paths import socket_path
from libremq.mqi import constants as C


def client(url: str) -> ClientAddress:
    address = urls.parse(url)
    assert isinstance(address, ClientAddress)
    return address


def test_a_full_url() -> None:
    address = client(
        "mq://al%40ice:p%2Fw%3A1@host:1500,host2,[2001:db8::1]:1501,[::1]/QM1?channel=DEV.APP.SVRCONN&reconnect=qmgr"
        "&reconnect_timeout=60&connect_timeout=2.5&call_timeout=9&heartbeat=5&sharing=1&max_message=4096&application=shop"
    )
    assert address == ClientAddress(
        "mq",
        "QM1",
        hosts=(("host", 1500), ("host2", 1414), ("2001:db8::1", 1501), ("::1", 1414)),
        channel="DEV.APP.SVRCONN",
        user="al@ice",
        password="p/w:1",
        reconnect="qmgr",
        reconnect_timeout_s=60,
        connect_timeout_s=2.5,
        call_timeout_s=9,
        heartbeat_s=5,
        sharing=1,
        max_message_bytes=4096,
        application="shop",
    )
    assert address.folder == address.socket_path == ""
    assert address.shown == "mq://host:1500,host2:1414,[2001:db8::1]:1501,[::1]:1414/QM1"


def test_the_defaults() -> None:
    address = client("mq://host/QM1")
    assert (address.hosts, address.channel, address.tls) == ((("host", 1414),), "SYSTEM.DEF.SVRCONN", None)
    assert (address.user, address.password, address.application) == ("", "", "")
    assert (address.reconnect, address.reconnect_timeout_s, address.connect_timeout_s) == ("disabled", 1800, 30)
    assert (address.call_timeout_s, address.heartbeat_s, address.sharing) == (0, 300, 10)
    assert address.max_message_bytes == 104857600


@pytest.mark.parametrize(
    ("path", "name", "any_name"),
    [("", "", True), ("/", "", True), ("/*", "*", True), ("/*GROUP", "*GROUP", True), ("/QM1", "QM1", False),
     ("/A/B%25", "A/B%", False)],
)  # fmt: skip
def test_names_of_queue_managers_and_groups(path: str, name: str, any_name: bool) -> None:
    address = client(f"mq://host{path}")
    assert (address.name, address.any_name) == (name, any_name)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", "yes"), ("yes", "yes"), ("YES", "yes"), ("0", "disabled"), ("no", "disabled"), ("disabled", "disabled"),
     ("qmgr", "qmgr")],
)  # fmt: skip
def test_reconnect(text: str, value: str) -> None:
    assert client(f"mq://host/QM1?reconnect={text}").reconnect == value


def test_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/alice")
    monkeypatch.setenv("MQKEYRPWD", "key secret")
    address = client(
        "mqs://host/QM1?ca=~/ca.pem&cert=/c.pem&key=/k.pem&verify=ca&cipher=ecdhe_rsa_aes_256_gcm_sha384"
        "&server_name=qm.example&peer_name=CN%3DQM1%2C%20O%3DExample&crl=/r.pem"
    )
    assert address.tls is not None
    assert dataclasses.asdict(address.tls) == {
        "ca": "/home/alice/ca.pem",
        "certificate": "/c.pem",
        "key": "/k.pem",
        "key_password": "key secret",
        "verify": "ca",
        "cipher": "ECDHE_RSA_AES_256_GCM_SHA384",
        "server_name": "qm.example",
        "peer_name": "CN=QM1, O=Example",
        "revoked": "/r.pem",
    }
    assert "key secret" not in repr(address)
    plain = client("mqs://host/QM1").tls
    assert plain is not None
    assert (plain.verify, plain.cipher) == ("full", "ANY_TLS12_OR_HIGHER")
    assert client("mqs://host/QM1?verify=0").tls == dataclasses.replace(plain, verify="no")


def test_a_local_one_has_its_folder_and_socket(tmp_path: Path) -> None:
    address = client(f"local:QM.1?data={quote(str(tmp_path))}&call_timeout=3&sharing=1")
    assert address.hosts == ()
    assert address.folder == str(tmp_path / "qmgrs" / "QM!1")
    assert address.folder == Address("embedded", "QM.1", data=str(tmp_path)).folder
    assert address.socket_path == socket_path(address.folder)
    assert (address.call_timeout_s, address.shown) == (3, "local:QM.1")


def test_a_table() -> None:
    address = urls.parse("ccdt:*GROUP?table=%2Fetc%2Fccdt.json&call_timeout=5&reconnect=yes")
    settings = (("call_timeout_s", 5.0), ("reconnect", "yes"))
    assert address == TableAddress("ccdt", "*GROUP", "/etc/ccdt.json", settings)


@pytest.mark.parametrize(
    ("url", "reason", "says"),
    [
        ("tcp://host/QM1", C.MQRC_Q_MGR_NAME_ERROR, "use embedded, local, mq, mqs or ccdt"),
        ("mq:QM1", C.MQRC_HOST_NOT_AVAILABLE, "mq://host:1414/QM1"),
        ("mqs:/QM1", C.MQRC_HOST_NOT_AVAILABLE, "mqs://host:1414/QM1"),
        ("mq://", C.MQRC_HOST_NOT_AVAILABLE, "names no host"),
        ("mq:///QM1", C.MQRC_HOST_NOT_AVAILABLE, "names no host"),
        ("mq://a,,b/QM1", C.MQRC_HOST_NOT_AVAILABLE, "names no host"),
        ("mq://a b/QM1", C.MQRC_HOST_NOT_AVAILABLE, "'a b' is no host name"),
        ("mq://host:/QM1", C.MQRC_HOST_NOT_AVAILABLE, "1 to 65535"),
        ("mq://host:0/QM1", C.MQRC_HOST_NOT_AVAILABLE, "1 to 65535"),
        ("mq://host:65536/QM1", C.MQRC_HOST_NOT_AVAILABLE, "1 to 65535"),
        ("mq://host:²/QM1", C.MQRC_HOST_NOT_AVAILABLE, "1 to 65535"),
        ("mq://host:mq/QM1", C.MQRC_HOST_NOT_AVAILABLE, "'mq' is no port"),
        ("mq://host(1414)/QM1", C.MQRC_HOST_NOT_AVAILABLE, "write 'host:1414'"),
        ("mq://2001:db8::1/QM1", C.MQRC_HOST_NOT_AVAILABLE, "[2001:db8::1]"),
        ("mq://[2001:db8::1/QM1", C.MQRC_HOST_NOT_AVAILABLE, "[2001:db8::1]:1414"),
        ("mq://[::1]1414/QM1", C.MQRC_HOST_NOT_AVAILABLE, "[2001:db8::1]:1414"),
        ("mq://[host]:1414/QM1", C.MQRC_HOST_NOT_AVAILABLE, "no IPv6 address"),
        ("mq://" + ",".join(["h"] * 65) + "/QM1", C.MQRC_HOST_NOT_AVAILABLE, "64 is the most"),
        ("mq://host/QM 1", C.MQRC_Q_MGR_NAME_ERROR, "not a queue manager name"),
        ("mq://host/**", C.MQRC_Q_MGR_NAME_ERROR, "not a queue manager name"),
        ("mq://host/QM*", C.MQRC_Q_MGR_NAME_ERROR, "not a queue manager name"),
        ("mq://host/QM1?channel=A B", C.MQRC_CHANNEL_CONFIG_ERROR, "not a channel name"),
        ("mq://host/QM1?channel=" + "A" * 21, C.MQRC_CHANNEL_CONFIG_ERROR, "1 to 20"),
        ("mq://host/QM1?chanel=A", C.MQRC_OPTIONS_ERROR, "unknown key 'chanel'"),
        ("mq://host/QM1?create=1", C.MQRC_OPTIONS_ERROR, "unknown key 'create'"),
        ("mq://host/QM1?heartbeat=1&heartbeat=2", C.MQRC_OPTIONS_ERROR, "one value"),
        ("mq://host/QM1?heartbeat=-1", C.MQRC_OPTIONS_ERROR, "0 to 999999"),
        ("mq://host/QM1?heartbeat=1000000", C.MQRC_OPTIONS_ERROR, "0 to 999999"),
        ("mq://host/QM1?call_timeout=soon", C.MQRC_OPTIONS_ERROR, "seconds"),
        ("mq://host/QM1?call_timeout=nan", C.MQRC_OPTIONS_ERROR, "seconds"),
        ("mq://host/QM1?connect_timeout=0", C.MQRC_OPTIONS_ERROR, "no time at all"),
        ("mq://host/QM1?sharing=1.5", C.MQRC_OPTIONS_ERROR, "whole number"),
        ("mq://host/QM1?max_message=104857601", C.MQRC_OPTIONS_ERROR, "104857600"),
        ("mq://host/QM1?reconnect=maybe", C.MQRC_OPTIONS_ERROR, "qmgr"),
        ("mq://host/QM1?application=" + "x" * 29, C.MQRC_OPTIONS_ERROR, "28"),
        ("mq://host/QM1?ca=x.pem", C.MQRC_OPTIONS_ERROR, "mqs://"),
        ("mqs://host/QM1?verify=perhaps", C.MQRC_OPTIONS_ERROR, "full"),
        ("mqs://host/QM1?cipher=TLS_RSA_WITH_AES_128_CBC_SHA", C.MQRC_UNSUPPORTED_CIPHER_SUITE, "TLS 1.0"),
        ("mqs://host/QM1?cipher=FOO", C.MQRC_UNSUPPORTED_CIPHER_SUITE, "ANY_TLS12_OR_HIGHER"),
        ("mqs://host/QM1?peer_name=QM1", C.MQRC_SSL_PEER_NAME_ERROR, "CN=QM1"),
        ("mq://:secret@host/QM1", C.MQRC_OPTIONS_ERROR, "a password needs a user"),
        ("mq://host/QM1#x", C.MQRC_OPTIONS_ERROR, "%23"),
        ("mq://ho\ud800st/QM1", C.MQRC_OPTIONS_ERROR, "UTF-8"),
        ("local:", C.MQRC_Q_MGR_NAME_ERROR, "names no queue manager"),
        ("local:*", C.MQRC_Q_MGR_NAME_ERROR, "not a queue manager name"),
        ("local://QM1", C.MQRC_Q_MGR_NAME_ERROR, "write 'local:QM1'"),
        ("local:QM1?channel=A", C.MQRC_OPTIONS_ERROR, "unknown key 'channel'"),
        ("local:QM1?data=%00", C.MQRC_OPTIONS_ERROR, "one value"),
        ("ccdt:QM1", C.MQRC_OPTIONS_ERROR, "?table="),
        ("ccdt:QM1?table=", C.MQRC_OPTIONS_ERROR, "one value"),
    ],
)
def test_a_bad_url_says_what_is_wrong(url: str, reason: int, says: str) -> None:
    for attempt in (urls.parse, libremq.connect):
        with pytest.raises(libremq.MQError) as caught:
            attempt(url)
        assert caught.value.reason == reason
        assert says in str(caught.value)
        assert "secret" not in str(caught.value)


SECRET = "hunter2"


@pytest.mark.parametrize(
    "url",
    [
        f"mq://alice:{SECRET}@host:x/QM1",
        f"mq://alice:{SECRET}@host/QM 1",
        f"mq://alice:{SECRET}@host/QM1?colour=red",
        f"mq://alice:{SECRET}@host/QM1?channel=A B",
        f"mq://alice:a/{SECRET}@host/QM1",
        f"mq://alice:a?{SECRET}@host/QM1",
        f"mq://alice:1?x={SECRET}@host/QM1",
        f"mq://alice:a#{SECRET}@host/QM1",
        f"mq://alice:{SECRET}@@host@x:y/QM1",
        f"tcp://alice:{SECRET}@host/QM1",
        f"mqs://alice:{SECRET}@host/QM1?verify=x",
        f"mq:alice:{SECRET}@host/QM1?heartbeat=x",
        f"local://alice:{SECRET}@host/QM1",
        f"local:QM1?user=alice&password={SECRET}",
        f"embedded:QM1?Password={SECRET}&create=1",
        f"mq://host/QM1?password={SECRET}",
    ],
)
def test_no_error_shows_a_password(url: str) -> None:
    with pytest.raises(libremq.MQError) as caught:
        urls.parse(url)
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value)


def test_nothing_else_shows_a_password() -> None:
    url = f"mq://alice:{SECRET}@host/QM1"
    address = client(url)
    assert address.password == SECRET
    assert SECRET not in repr(address) + str(address) + address.shown
    assert urls.without_password(url) == "mq://alice@host/QM1"
    assert urls.without_password("mq://alice@host/QM1") == "mq://alice@host/QM1"
    assert urls.without_password("embedded:QM1?data=//a:b@c") == "embedded:QM1?data=//a:b@c"
    for slip in (
        "alice:s3cr3t@host/QM1",
        "mq//alice:s3cr3t@host/QM1",
        "mqs://host/QM1?keypassword=s3cr3t&key_password=s3cr3t",
        "mqs://host/QM1?channel=C&KeyRPwd=s3cr3t",
    ):
        assert "s3cr3t" not in urls.without_password(slip)
        with pytest.raises(libremq.MQError) as caught:
            urls.parse(slip)
        assert "s3cr3t" not in str(caught.value)


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_whatever_is_written_is_an_address_or_an_mq_error(scheme: str, place: str, query: str) -> None:
    for url in (f"{scheme}:{place}?{query}", f"mqs://{place}/{query}", f"mq://h/Q?{query}", f"local:{place}?{query}"):
        try:
            urls.parse(url)
        except libremq.MQError as error:
            assert str(error)


@given(
    st.lists(
        st.tuples(st.sampled_from(["host", "10.0.0.1", "::1", "fe80::1%eth0", "bücher.test"]), st.integers(1, 65535)),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["", "*", "QM1", "*A.B", "A/B%C_d"]),
    st.sampled_from(["", "A/B", "A%B.C"]),
)
def test_a_url_that_is_made_can_be_read(hosts: list[tuple[str, int]], name: str, channel: str) -> None:
    address = client(urls.client_url(hosts, name, channel, heartbeat="7"))
    assert (address.hosts, address.name, address.heartbeat_s) == (tuple(hosts), name, 7)
    assert address.channel == (channel or urls.DEFAULT_CHANNEL)


@pytest.mark.parametrize(
    ("url", "wanted"), [("", "embedded:QM1"), ("embedded:", "embedded:QM1"), ("local:", "local:QM1")]
)
def test_a_url_without_a_name_is_told_one_that_works(url: str, wanted: str) -> None:
    with pytest.raises(libremq.MQError, match=f"write '{wanted}'"):
        urls.parse(url)
