"""From the structures of MQCONNX to the URL of a binding."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helper_compat import done, packed

from libremq.client import urls
from libremq.client.queue_manager import QueueManager
from libremq.common.tls import tls_context
from libremq.compat import ibmmqc, mqconn_calls, pymqe
from libremq.compat.mqconn_calls import Request, url_of
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQBNO, MQCD, MQCNO, MQCSP, MQSCO

_PACKAGE = Path(__file__).resolve().parents[2] / "packages" / "compat"


def channel(**fields: Any) -> MQCD:
    given = {"ChannelName": "DEV.APP.SVRCONN", "ConnectionName": "host(1415)", "Version": 11, **fields}
    return MQCD(TransportType=C.MQXPT_TCP, ChannelType=C.MQCHT_CLNTCONN, **given)


def address_of(request: Request) -> urls.ClientAddress:
    address = urls.parse(url_of(request))
    assert isinstance(address, urls.ClientAddress)
    return address


def test_a_channel_definition_is_a_client_connection() -> None:
    cd = channel(ConnectionName="one(1415),two , ::1(1416)", HeartbeatInterval=7, MaxMsgLength=1000)
    address = address_of(Request("QM1", cd=cd))
    assert (address.scheme, address.name, address.channel) == ("mq", "QM1", "DEV.APP.SVRCONN")
    assert address.hosts == (("one", 1415), ("two", 1414), ("::1", 1416))
    assert (address.heartbeat_s, address.max_message_bytes, address.sharing) == (7, 1000, 10)


@pytest.mark.parametrize("name", ["*GROUP", "", "QM%1"])
def test_names_of_queue_managers_survive(name: str) -> None:
    assert address_of(Request(name, cd=channel())).name == name


def test_values_that_cannot_be_are_left_to_the_defaults() -> None:
    address = address_of(Request("QM1", cd=channel(HeartbeatInterval=-1, MaxMsgLength=0, SharingConversations=-1)))
    assert (address.heartbeat_s, address.sharing) == (300, 10)


def test_reconnection_comes_from_the_channel() -> None:
    assert address_of(Request("QM1", cd=channel(DefReconnect=C.MQRCN_Q_MGR))).reconnect == urls.RECONNECT_QMGR
    assert address_of(Request("QM1", cd=channel(Version=6))).reconnect == urls.RECONNECT_DISABLED


def test_a_cipher_spec_means_tls(tmp_path: Path) -> None:
    (tmp_path / "trust.pem").write_text("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
    name = ctypes.create_string_buffer(b"CN=server")
    cd = channel(
        SSLCipherSpec="ANY_TLS12_OR_HIGHER", SSLPeerNamePtr=ctypes.addressof(name), SSLPeerNameLength=9
    )  # fmt: skip
    address = address_of(Request("QM1", cd=cd, sco=MQSCO(KeyRepository=str(tmp_path))))
    assert address.scheme == "mqs" and address.tls is not None
    assert (address.tls.ca, address.tls.peer_name) == (str(tmp_path / "trust.pem"), "CN=server")
    assert address.tls.cipher == "ANY_TLS12_OR_HIGHER"


def test_other_transports_are_refused() -> None:
    with pytest.raises(MQError) as caught:
        url_of(Request("QM1", cd=MQCD(ConnectionName="host", TransportType=C.MQXPT_LU62)))
    assert caught.value.reason == C.MQRC_CD_ERROR


def test_a_table_is_named_by_its_url() -> None:
    address = urls.parse(url_of(Request("*QM1", table="file:///a b/ccdt.json")))
    assert isinstance(address, urls.TableAddress)
    assert (address.name, address.table) == ("*QM1", "file:///a b/ccdt.json")


def test_a_name_alone_asks_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    assert url_of(Request("QM1")) == "embedded:QM1"
    with pytest.raises(MQError) as caught:
        url_of(Request("QM1", C.MQCNO_CLIENT_BINDING))
    assert caught.value.reason == C.MQRC_Q_MGR_NAME_ERROR
    monkeypatch.setenv("MQSERVER", "DEV.APP.SVRCONN/TCP/host(1415)")
    assert address_of(Request("QM1", C.MQCNO_CLIENT_BINDING)).hosts == (("host", 1415),)


def test_credentials_are_read_from_memory() -> None:
    user, password = ctypes.create_string_buffer(b"app"), ctypes.create_string_buffer("hasło/@:".encode())
    csp = MQCSP(
        AuthenticationType=C.MQCSP_AUTH_USER_ID_AND_PWD,
        CSPUserIdPtr=ctypes.addressof(user),
        CSPUserIdLength=3,
        CSPPasswordPtr=ctypes.addressof(password),
        CSPPasswordLength=9,
    )
    assert mqconn_calls.credentials(csp) == ("app", "hasło/@:")
    assert mqconn_calls.credentials(MQCSP()) == ("", "")
    with pytest.raises(MQError):
        mqconn_calls.credentials(MQCSP(AuthenticationType=C.MQCSP_AUTH_ID_TOKEN))
    assert "hasło" not in repr(Request("QM1", user="app", password="hasło"))


def test_connecting_with_every_structure(queue_manager: QueueManager) -> None:
    """As ibmmq calls it: the structures lie beside the MQCNO, which has an old version and a name of version 7."""
    cno = packed(MQCNO, 8, ApplName="a program", Options=C.MQCNO_HANDLE_SHARE_BLOCK)
    cno = cno[:4] + (5).to_bytes(4, "little") + cno[8:]
    hconn = done(ibmmqc.MQCONNX(b"QM1", cno, None, packed(MQCSP, 3), packed(MQSCO, 7), packed(MQBNO)))
    assert ibmmqc.MQDISC(hconn) == (0, 0)
    unknown = cno[:4] + (99).to_bytes(4, "little") + cno[8:]
    failed = ibmmqc.MQCONNX(b"QM1", unknown, None, None, None, None)
    assert failed == (C.MQHC_UNUSABLE_HCONN, C.MQCC_FAILED, C.MQRC_CNO_ERROR)
    with pytest.raises(ibmmqc.error):
        ibmmqc.MQCONNX(b"QM1", cno, b"", None, None, None)


def test_connecting_as_pymqi_does(queue_manager: QueueManager) -> None:
    sco = MQSCO(Version=5).pack()[:628]
    hconn = done(pymqe.MQCONNX(b"QM1", C.MQCNO_NONE, None, {}, sco))
    assert pymqe.MQDISC(hconn) == (0, 0)
    cd = channel(ConnectionName="127.0.0.1(1)", Version=6).pack(version=12)[:1988]
    cd = cd[:20] + (6).to_bytes(4, "little") + cd[24:]
    failed = pymqe.MQCONNX(b"QM1", C.MQCNO_NONE, cd, {}, sco)
    assert failed[:2] == (C.MQHC_UNUSABLE_HCONN, C.MQCC_FAILED)


def test_the_packages_find_what_they_read_at_import() -> None:
    assert {"6.0", "7.0", "7.1", "8.0.0"} <= set(pymqe.__mqlevels__)
    assert pymqe.__mqbuild__ == "client"
    assert ibmmqc.__mqbuild__ == "common" and ibmmqc.__cmdlevel__ >= 1001
    versions = {"cd": 13, "cno": 8, "csp": 3, "gmo": 4, "od": 4, "pmo": 3, "sco": 7, "sts": 2}
    assert versions.items() <= ibmmqc.__strucversions__.items()
    assert vars(pymqe)["pymqe.error"] is pymqe.error and vars(ibmmqc)["ibmmqc.error"] is ibmmqc.error
    assert ibmmqc.MQLOGCF(1, "file") == (0,)
    assert pymqe.mqaiExecute(1, 1, {}, []) == ([], C.MQCC_FAILED, C.MQRC_FUNCTION_NOT_SUPPORTED)


@pytest.mark.parametrize("name", ["pymqe", "ibmmqc"])
def test_the_distribution_has_the_names_that_are_looked_for(name: str) -> None:
    program = f"import {name}, libremq.compat.{name} as ours; assert {name} is ours; assert {name}.MQCONN"
    code = f"import sys; sys.path.insert(0, {str(_PACKAGE)!r}); {program}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    assert (ended.returncode, ended.stderr) == (0, "")


_NOT_DONE = pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"AuthInfoRecCount": 1}, C.MQRC_AUTH_INFO_REC_COUNT_ERROR),
        ({"FipsRequired": C.MQSSL_FIPS_YES}, C.MQRC_SSL_INITIALIZATION_ERROR),
        ({"EncryptionPolicySuiteB": (C.MQ_SUITE_B_128_BIT, 0, 0, 0)}, C.MQRC_SUITE_B_ERROR),
    ],
)


@_NOT_DONE
def test_what_would_protect_and_is_not_done_is_refused(tmp_path: Path, fields: dict[str, Any], reason: int) -> None:
    if "FipsRequired" in fields and tls_context.fips_mode():
        pytest.skip("this machine does it")
    cd, sco = channel(SSLCipherSpec="ANY_TLS12_OR_HIGHER"), MQSCO(Version=5, KeyRepository=str(tmp_path), **fields)
    with pytest.raises(MQError) as caught:
        url_of(Request("QM1", cd=cd, sco=sco))
    assert caught.value.reason == reason


@_NOT_DONE
@pytest.mark.parametrize("way", ["table", "environment", "url"])
def test_so_it_is_where_something_else_says_the_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str, fields: dict[str, Any], reason: int
) -> None:
    """A channel of a table may have a CipherSpec, and nobody has looked at it yet."""
    if "FipsRequired" in fields and tls_context.fips_mode():
        pytest.skip("this machine does it")
    table = (tmp_path / "ccdt.json").as_uri()
    if way == "environment":
        monkeypatch.setenv("MQCHLLIB", str(tmp_path))
        monkeypatch.setenv("MQCHLTAB", "ccdt.json")
    name, given = ("mqs://host/QM1" if way == "url" else "QM1"), (table if way == "table" else "")
    assert url_of(Request(name, table=given, sco=MQSCO(Version=5))) == url_of(Request(name, table=given))
    with pytest.raises(MQError) as caught:
        url_of(Request(name, table=given, sco=MQSCO(Version=5, **fields)))
    assert caught.value.reason == reason
