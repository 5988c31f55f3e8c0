"""Channels of all types, topics, services, AUTHINFO, COMMINFO: the rules that each kind has for itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from helper_media import FOLDER, Life

from libremq.kernel.objects.attribute_tables import GENERIC_TYPES, TABLES
from libremq.kernel.objects.catalogue import DEFAULT_OBJECTS, Catalogue, RecordError, from_record, to_record
from libremq.kernel.objects.object_types import ClientConnection, IdpwLdap, IdpwOs, ServerConnection, Topic
from libremq.kernel.objects.system_objects import create_system_objects
from libremq.kernel.recovery.log_dump import LogFormatter
from libremq.kernel.state import media_image, object_changes
from libremq.log import LogConfig, LogFull
from libremq.log.log_dump_reader import dump
from libremq.mqi import constants as mq
from libremq.mqi.errors import MQError

T0 = 1_700_000_000.0
SMALL = LogConfig(primary_files=2, secondary_files=1, file_pages=64)

NEEDED: dict[str, dict[str, Any]] = {
    "SDR": {"CONNAME": "host(1414)", "XMITQ": "X"},
    "SVR": {"XMITQ": "X"},
    "RQSTR": {"CONNAME": "host"},
    "CLNTCONN": {"CONNAME": "host"},
    "CLUSSDR": {"CONNAME": "host"},
    "TOPIC": {"TOPICSTR": "a/b"},
    "CRLLDAP": {"CONNAME": "ldap"},
    "OCSP": {"OCSPURL": "http://ocsp.example"},
    "IDPWLDAP": {"CONNAME": "ldap", "SHORTUSR": "uid"},
}
NEW_KINDS = (*GENERIC_TYPES["CHANNEL"], *GENERIC_TYPES["AUTHINFO"], "SERVICE", "TOPIC", "COMMINFO")


@pytest.fixture
def catalogue() -> Catalogue:
    made = Catalogue("QM1", T0)
    create_system_objects(made, T0)
    return made


def state(catalogue: Catalogue) -> list[dict[str, Any]]:
    return [to_record(one) for one in catalogue]


def refused(reason: int, catalogue: Catalogue, verb: str, *args: Any, **options: Any) -> str:
    before = state(catalogue)
    with pytest.raises(MQError) as error:
        getattr(catalogue, verb)(*args, **options, now=T0)
    assert error.value.reason == reason
    assert state(catalogue) == before
    return error.value.detail


@pytest.mark.parametrize("kind", NEW_KINDS)
def test_every_kind_is_defined_altered_listed_and_deleted(catalogue: Catalogue, kind: str) -> None:
    made = catalogue.define(kind, "MY.ONE", NEEDED.get(kind, {}), now=T0)
    assert (made.kind, made.name, made.__dict__["altdate"]) == (kind, "MY.ONE", "2023-11-14")
    assert catalogue.find(kind, "MY.ONE") is made
    assert catalogue.select(kind, "MY.*") == [made]
    catalogue.alter(kind, "MY.ONE", {"DESCR": "changed"}, now=T0)
    assert made.__dict__["descr"] == "changed"
    assert from_record(to_record(made)).__dict__ == made.__dict__
    for row in made.table:
        if row.source.value == "fixed":
            assert getattr(made, row.slot) is not None
    assert catalogue.delete(kind, "MY.ONE") is made
    assert catalogue.find(kind, "MY.ONE") is None


@pytest.mark.parametrize(
    ("kind", "missing", "reason"),
    [
        ("SDR", "CONNAME", mq.MQRCCF_MISSING_CONN_NAME),
        ("SDR", "XMITQ", mq.MQRCCF_XMIT_Q_NAME_ERROR),
        ("SVR", "XMITQ", mq.MQRCCF_XMIT_Q_NAME_ERROR),
        ("RQSTR", "CONNAME", mq.MQRCCF_MISSING_CONN_NAME),
        ("CLNTCONN", "CONNAME", mq.MQRCCF_MISSING_CONN_NAME),
        ("CLUSSDR", "CONNAME", mq.MQRCCF_MISSING_CONN_NAME),
        ("TOPIC", "TOPICSTR", mq.MQRCCF_PARM_MISSING),
        ("CRLLDAP", "CONNAME", mq.MQRCCF_MISSING_CONN_NAME),
        ("OCSP", "OCSPURL", mq.MQRCCF_PARM_MISSING),
        ("IDPWLDAP", "CONNAME", mq.MQRCCF_MISSING_CONN_NAME),
        ("IDPWLDAP", "SHORTUSR", mq.MQRCCF_PARM_MISSING),
    ],
)
def test_what_a_type_cannot_do_without(catalogue: Catalogue, kind: str, missing: str, reason: int) -> None:
    given = {keyword: value for keyword, value in NEEDED[kind].items() if keyword != missing}
    assert missing in refused(reason, catalogue, "define", kind, "X", given)
    catalogue.define(kind, "X", NEEDED[kind], now=T0)
    if missing != "TOPICSTR":
        refused(reason, catalogue, "alter", kind, "X", {missing: " "})


@pytest.mark.parametrize("kind", sorted(NEEDED))
def test_a_default_object_is_a_template_and_needs_nothing(catalogue: Catalogue, kind: str) -> None:
    catalogue.alter(kind, DEFAULT_OBJECTS[kind], {"DESCR": "ours"}, now=T0)
    made = catalogue.define(kind, "X", NEEDED[kind], now=T0)
    assert made.__dict__["descr"] == "ours"


def test_values_of_channels_that_are_refused(catalogue: Catalogue) -> None:
    sender = {"CHLTYPE": "SDR", **NEEDED["SDR"]}
    for given, reason in (
        ({"BATCHSZ": 0}, mq.MQRCCF_BATCH_SIZE_ERROR),
        ({"SEQWRAP": 99}, mq.MQRCCF_SEQ_NUMBER_WRAP_ERROR),
        ({"CONVERT": "MAYBE"}, mq.MQRCCF_DATA_CONV_VALUE_ERROR),
        ({"MCANAME": "X"}, mq.MQRCCF_MCA_NAME_ERROR),
        ({"PUTAUT": "DEF"}, mq.MQRCCF_CFIN_PARM_ID_ERROR),
        ({"RESETSEQ": 5}, mq.MQRCCF_ATTR_VALUE_FIXED),
    ):
        refused(reason, catalogue, "define", "CHANNEL", "X", {**sender, **given})
    receiver = catalogue.define("CHANNEL", "CR", {"CHLTYPE": "CLUSRCVR", "CLUSTER": "C"}, now=T0)
    assert receiver.kind == "CLUSRCVR"
    refused(mq.MQRCCF_CLUSTER_NAME_CONFLICT, catalogue, "alter", "CHANNEL", "CR", {"CLUSNL": "N"})
    refused(mq.MQRC_OCSP_URL_ERROR, catalogue, "define", "OCSP", "O", {"OCSPURL": "ftp://x"})


# Client-connection channels have names of their own


def pair(catalogue: Catalogue) -> tuple[ServerConnection, ClientConnection]:
    server = catalogue.define("CHANNEL", "SAME", {"CHLTYPE": "SVRCONN"}, now=T0)
    client = catalogue.define("CHANNEL", "SAME", {"CHLTYPE": "CLNTCONN", "CONNAME": "h"}, now=T0)
    assert isinstance(server, ServerConnection) and isinstance(client, ClientConnection)
    return server, client


def test_a_client_and_a_server_connection_may_have_the_same_name(catalogue: Catalogue) -> None:
    server, client = pair(catalogue)
    assert catalogue.find("CHANNEL", "SAME") is catalogue.find("SVRCONN", "SAME") is server
    assert catalogue.find("CLNTCONN", "SAME") is client
    assert catalogue.select("CHANNEL", "SAME") == [server, client]
    assert catalogue.select("SVRCONN", "SAME") == [server]
    refused(mq.MQRCCF_CHANNEL_ALREADY_EXISTS, catalogue, "define", "CLNTCONN", "SAME", {"CONNAME": "h"})
    refused(mq.MQRCCF_CHANNEL_ALREADY_EXISTS, catalogue, "define", "SDR", "SAME", NEEDED["SDR"])
    refused(mq.MQRCCF_WRONG_CHANNEL_TYPE, catalogue, "define", "RCVR", "SAME", {}, replace=True)
    catalogue.alter("CHANNEL", "SAME", {"CHLTYPE": "CLNTCONN", "HBINT": 7}, now=T0)
    catalogue.alter("CHANNEL", "SAME", {"HBINT": 8}, now=T0)
    assert (client.hbint, server.hbint) == (7, 8)
    assert catalogue.delete("CHANNEL", "SAME") is server
    assert catalogue.find("CHANNEL", "SAME") is client
    assert catalogue.delete("CHANNEL", "SAME") is client


def test_both_of_one_name_last(catalogue: Catalogue) -> None:
    life = Life()
    life.qm.define("CHANNEL", "SAME", {"chltype": "svrconn", "descr": "server"})
    life.qm.define("CHANNEL", "SAME", {"chltype": "clntconn", "conname": "h", "descr": "client"})
    life.restart(orderly=False)
    life.qm.alter("CHANNEL", "SAME", {"chltype": "clntconn", "conname": "other"})
    wanted = state(life.core.catalogue)
    for channel in life.core.catalogue.select("CHANNEL", "SAME"):
        channel.__dict__["descr"] = "damaged"
    assert [(one.kind, one.problem) for one in life.recover("chl", "SAME")] == [("SVRCONN", ""), ("CLNTCONN", "")]
    assert state(life.core.catalogue) == wanted
    life.restart()
    life.qm.delete("CLNTCONN", "SAME")
    life.restart(orderly=False)
    assert [one.kind for one in life.core.catalogue.select("CHANNEL", "SAME")] == ["SVRCONN"]


def test_a_full_log_leaves_the_other_of_the_same_name_alone() -> None:
    life = Life(config=SMALL)
    core = life.core
    object_changes.define(core, "CHANNEL", "SAME", {"chltype": "svrconn", "descr": "server"})
    with pytest.raises(LogFull):
        while True:
            object_changes.alter(core, "CHANNEL", "SAME", {"sendexit": ["x(y)"] * 8, "sslpeer": "CN=" + "x" * 1000})
    before = state(core.catalogue)
    commands: tuple[Callable[[], int], ...] = (
        lambda: object_changes.define(
            core, "CHANNEL", "SAME", {"chltype": "clntconn", "conname": "h", "sslpeer": "CN=" + "x" * 1000}
        ),
        lambda: object_changes.define(
            core, "CHANNEL", "OTHER", {"chltype": "clntconn", "conname": "h", "sslpeer": "CN=" + "x" * 1000}
        ),
    )
    for command in commands:
        with pytest.raises(LogFull):
            command()
        assert state(core.catalogue) == before


# Topics


def test_a_topic_string_is_unique_and_stays(catalogue: Catalogue) -> None:
    made = catalogue.define("TOPIC", "T", {"TYPE": "LOCAL", "TOPICSTR": "price/fruit", "PUB": "DISABLED"}, now=T0)
    assert isinstance(made, Topic)
    assert (made.topicstr, made.type, made.pub) == ("price/fruit", mq.MQTOPT_LOCAL, mq.MQTA_PUB_INHIBITED)
    assert "T" in refused(
        mq.MQRCCF_TOPICSTR_ALREADY_EXISTS, catalogue, "define", "TOPIC", "U", {"TOPICSTR": "price/fruit"}
    )
    refused(mq.MQRCCF_ATTR_VALUE_FIXED, catalogue, "alter", "TOPIC", "T", {"TOPICSTR": "other"})
    refused(mq.MQRCCF_ATTR_VALUE_FIXED, catalogue, "define", "TOPIC", "T", {"TOPICSTR": "other"}, replace=True)
    refused(mq.MQRCCF_TOPIC_TYPE_ERROR, catalogue, "define", "TOPIC", "V", {"TYPE": "CLUSTER", "TOPICSTR": "v"})
    refused(mq.MQRCCF_PARM_MISSING, catalogue, "define", "TOPIC", "V", {}, like="T")
    catalogue.alter("TOPIC", "T", {"TOPICSTR": "price/fruit", "DESCR": "d"}, now=T0)
    catalogue.define("TOPIC", "T", {"SUB": "DISABLED"}, replace=True, now=T0)
    assert (made.topicstr, made.pub, made.sub) == ("price/fruit", mq.MQTA_PUB_AS_PARENT, mq.MQTA_SUB_INHIBITED)
    like = catalogue.define("TOPIC", "V", {"TOPICSTR": "v"}, like="T", now=T0)
    assert (like.__dict__["sub"], like.__dict__["topicstr"]) == (mq.MQTA_SUB_INHIBITED, "v")
    # The root is defined again by a dump, with its empty string
    catalogue.define("TOPIC", "SYSTEM.BASE.TOPIC", {"TYPE": "LOCAL", "TOPICSTR": ""}, replace=True, now=T0)
    catalogue.delete("TOPIC", "T")
    catalogue.define("TOPIC", "U", {"TOPICSTR": "price/fruit"}, now=T0)


# AUTHINFO


def test_an_authinfo_is_of_the_type_that_authtype_says(catalogue: Catalogue) -> None:
    made = catalogue.define("AUTHINFO", "A", {"AUTHTYPE": "idpwos", "CHCKCLNT": "REQUIRED"}, now=T0)
    assert isinstance(made, IdpwOs)
    assert (made.authtype, made.chckclnt, made.adoptctx) == (mq.MQAIT_IDPW_OS, mq.MQCHK_REQUIRED, mq.MQADPCTX_YES)
    assert catalogue.find("AUTHINFO", "A") is catalogue.find("IDPWOS", "A") is made
    assert "IDPWLDAP" in refused(mq.MQRCCF_PARM_MISSING, catalogue, "define", "AUTHINFO", "B", {})
    refused(mq.MQRCCF_ATTR_VALUE_ERROR, catalogue, "define", "AUTHINFO", "B", {"AUTHTYPE": "NONE"})
    refused(mq.MQRCCF_ATTR_VALUE_ERROR, catalogue, "define", "OCSP", "B", {"AUTHTYPE": "IDPWOS"})
    refused(mq.MQRCCF_CFIN_PARM_ID_ERROR, catalogue, "define", "IDPWOS", "B", {"LDAPPWD": "x"})
    refused(mq.MQRCCF_OBJECT_WRONG_TYPE, catalogue, "alter", "AUTHINFO", "A", {"AUTHTYPE": "OCSP", "DESCR": "d"})
    refused(mq.MQRCCF_OBJECT_ALREADY_EXISTS, catalogue, "define", "OCSP", "A", NEEDED["OCSP"])
    refused(mq.MQRCCF_OBJECT_WRONG_TYPE, catalogue, "define", "OCSP", "A", NEEDED["OCSP"], replace=True)
    catalogue.alter("AUTHINFO", "A", {"AUTHTYPE": "IDPWOS", "FAILDLAY": 0}, now=T0)
    assert made.faildlay == 0
    assert catalogue.select("AUTHINFO", "A") == [made]


@pytest.mark.parametrize("linear", [True, False])
def test_a_password_is_kept_and_no_dump_of_the_log_shows_it(linear: bool) -> None:
    life = Life() if linear else Life(config=SMALL)
    life.qm.define("AUTHINFO", "L", {"authtype": "idpwldap", **NEEDED["IDPWLDAP"], "ldappwd": "hidden1"})
    life.qm.define("CHANNEL", "S", {"chltype": "sdr", **NEEDED["SDR"], "password": "hidden2"})
    life.qm.alter("QMGR", "", {"keyrpwd": "hidden3"})
    if linear:
        media_image.record(life.core, life.core.catalogue.authinfos["L"])
    life.stop(orderly=False)
    formatter = LogFormatter()
    shown = [formatter.describe(line) for line in dump(life.files, f"{FOLDER}/log")]
    passwords = [one["attributes"]["LDAPPWD"] for one in shown if one.get("object") == "L"]
    assert passwords == ["***"] * (2 if linear else 1)
    assert "hidden" not in str(shown)
    life.start()
    kept = life.core.catalogue.find("AUTHINFO", "L")
    assert isinstance(kept, IdpwLdap) and kept.ldappwd == "hidden1"


def test_subscriptions_cannot_be_defined(catalogue: Catalogue) -> None:
    refused(mq.MQRC_OBJECT_TYPE_ERROR, catalogue, "define", "SUB", "S", {"TOPICSTR": "a"})


def test_a_record_of_an_unknown_kind_is_refused() -> None:
    record = to_record(Catalogue("QM1", T0).define("SERVICE", "S", {}, now=T0))
    for kind in ("NOPE", None, ["SERVICE"], "CHANNEL"):
        with pytest.raises(RecordError):
            from_record({**record, "kind": kind})
    assert TABLES["SERVICE"].name_length == 48


@pytest.mark.parametrize(
    ("attribute", "value", "instead"),
    [("SUITEB", "128_BIT", "SSLCIPH"), ("SUITEB", ("128_BIT", "192_BIT"), "SSLCIPH"), ("SSLCRLNL", "CRLS", "crl.pem")],
)
def test_what_would_protect_and_is_not_done_is_refused(
    catalogue: Catalogue, attribute: str, value: Any, instead: str
) -> None:
    detail = refused(mq.MQRCCF_ATTR_VALUE_ERROR, catalogue, "alter", "QMGR", "", {attribute: value})
    assert attribute in detail and instead in detail
    # Where a release before has taken it, all else can be altered, and it can be set back
    catalogue.qmgr.suiteb, catalogue.qmgr.sslcrlnl = (mq.MQ_SUITE_B_128_BIT,), "CRLS"
    catalogue.alter("QMGR", "", {"DESCR": "as before"}, now=T0)
    catalogue.alter("QMGR", "", {"SUITEB": "NONE", "SSLCRLNL": ""}, now=T0)
    assert (catalogue.qmgr.suiteb, catalogue.qmgr.sslcrlnl) == ((mq.MQ_SUITE_B_NONE,), "")
