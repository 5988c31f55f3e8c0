"""An attribute that nobody acts on yet is kept, and the answer of every way to set it says so."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_pcf import Sender

from libremq import QueueManager, aio, connect
from libremq.client.kept_attributes import NoEffectYet
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.testing import temporary_queue_manager
from libremq.testing.serving import served_queue_manager

SAID = "AMQ8490W: Kept, with no effect yet: {}."


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with temporary_queue_manager() as made:
        yield made


def lines(qm: QueueManager, text: str) -> list[str]:
    (answer,) = qm.mqsc(text)
    assert answer.state == "done" and answer.reason == 0, answer.lines
    return answer.lines


def test_mqsc_says_so_and_does_it(qm: QueueManager) -> None:
    said = lines(qm, "DEFINE QLOCAL(Q) STATQ(ON) CLUSTER(C1) MAXDEPTH(7)")
    assert said == ["AMQ8006I: LibreMQ queue created.", SAID.format("STATQ, CLUSTER")]
    (answer,) = qm.mqsc("DISPLAY QLOCAL(Q) STATQ")
    assert answer.rows[0]["statq"] == "ON"
    assert lines(qm, "ALTER QMGR STATMQI(ON)")[1:] == [SAID.format("STATMQI")]
    assert lines(qm, "ALTER CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR) STATCHL(HIGH)")[1:] == [SAID.format("STATCHL")]
    rule = "SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS)"
    assert lines(qm, f"{rule} CUSTOM('for later')")[1:] == [SAID.format("CUSTOM")]
    assert len(lines(qm, f"{rule} ACTION(REPLACE)")) == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('h(1414)') SCYEXIT('lib(f)')", "CONNAME, SCYEXIT"),
        ("DEFINE CHANNEL(C) CHLTYPE(CLUSRCVR) CONNAME('h(1414)') BATCHSZ(9) DESCR('ours')", "CONNAME, BATCHSZ"),
        ("DEFINE CHANNEL(C) CHLTYPE(AMQP) PORT(5673) MAXINST(7)", "PORT, MAXINST"),
        ("DEFINE AUTHINFO(A) AUTHTYPE(CRLLDAP) CONNAME('ldap(389)')", "CONNAME"),
        ("DEFINE AUTHINFO(A) AUTHTYPE(OCSP) OCSPURL('http://h')", "OCSPURL"),
        ("DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP) CONNAME('l') SHORTUSR(u) FAILDLAY(9)", "CONNAME, SHORTUSR, FAILDLAY"),
        ("DEFINE TOPIC(T) TOPICSTR('a/b')", "TOPICSTR"),
        ("ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) COMPMSG(ZLIBFAST) MONCHL(HIGH)", "COMPMSG, MONCHL"),
        ("ALTER CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR) MCAUSER('bob') COMPMSG(ZLIBFAST)", "MCAUSER"),
    ],
)
def test_what_acts_for_one_type_only_is_said_of_the_others(qm: QueueManager, text: str, kept: str) -> None:
    assert lines(qm, text)[1:] == [SAID.format(kept)]


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("ALTER QMGR IMGSCHED(AUTO) IMGINTVL(5) IMGLOGLN(9)", "IMGSCHED, IMGINTVL, IMGLOGLN"),
        ("ALTER QMGR IMGRCOVO(NO) IMGRCOVQ(NO)", "IMGRCOVO, IMGRCOVQ"),
        ("DEFINE QLOCAL(Q) IMGRCOVQ(NO) MAXDEPTH(7)", "IMGRCOVQ"),
        ("ALTER QMODEL(SYSTEM.DEFAULT.MODEL.QUEUE) IMGRCOVQ(YES)", "IMGRCOVQ"),
        ("ALTER QMGR IMGSCHED(MANUAL) IMGINTVL(60)", ""),
    ],
)
def test_media_images_are_of_a_linear_log_only(text: str, kept: str, linear: bool) -> None:
    with temporary_queue_manager(log_config=LogConfig(type="LINEAR" if linear else "CIRCULAR")) as qm:
        assert lines(qm, text)[1:] == ([SAID.format(kept)] if kept and not linear else [])


def test_defaults_and_what_is_for_applications_go_without_a_word(qm: QueueManager) -> None:
    lines(qm, "DEFINE QLOCAL(Q) STATQ(ON)")
    for text in (
        "ALTER QMGR STATMQI(OFF) ACCTINT(1800)",
        "ALTER QLOCAL(Q) BOTHRESH(3) DESCR('ours')",
        "ALTER QLOCAL(Q) MAXDEPTH(7)",
        "DEFINE QLOCAL(R) LIKE(Q)",
    ):
        assert len(lines(qm, text)) == 1


@pytest.mark.parametrize("binding", ["embedded", "local"])
def test_python_warns(tmp_path: Path, binding: str) -> None:
    def check(qm: QueueManager) -> None:
        with pytest.warns(NoEffectYet) as caught:
            qm.define_local("Q", statq="on")
            qm.alter("qmgr", acctmqi="on")
        assert [str(one.message) for one in caught] == [SAID.format("STATQ"), SAID.format("ACCTMQI")]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            qm.define_local("R", maxdepth=7, statq="qmgr")
            qm.alter("qlocal", "R", maxdepth=8)

    if binding == "embedded":
        with temporary_queue_manager() as made:
            check(made)
    else:
        with served_queue_manager(folder=tmp_path) as served, connect(served.url(binding)) as client:
            check(client)


def test_so_does_python_that_does_not_wait(tmp_path: Path) -> None:
    async def main(url: str) -> None:
        async with await aio.connect(url) as qm:
            with pytest.warns(NoEffectYet, match="STATQ"):
                await qm.define_local("Q", statq="on")
            with pytest.warns(NoEffectYet, match="ACCTMQI"):
                await qm.alter("qmgr", acctmqi="on")

    with served_queue_manager(folder=tmp_path) as served:
        asyncio.run(main(served.url("local")))


def test_pcf_says_so_in_an_answer_that_is_a_success(qm: QueueManager) -> None:
    queue = {C.MQCA_Q_NAME: "Q", C.MQIA_Q_TYPE: C.MQQT_LOCAL}
    with Sender(qm.mqi) as sender:
        (reply,) = sender.done(C.MQCMD_CREATE_Q, {**queue, C.MQIA_STATISTICS_Q: C.MQMON_ON})
        assert reply.header.CompCode == C.MQCC_OK
        assert reply[C.MQCACF_ESCAPE_TEXT] == SAID.format("STATQ")
        (reply,) = sender.done(C.MQCMD_CHANGE_Q, {**queue, C.MQIA_MAX_Q_DEPTH: 7})
        assert not reply.parameters
