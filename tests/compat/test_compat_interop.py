"""The runner of `make interop`: how it judges, and the process that stands in for the command server."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from helper_compat import done, gmo, md, od, pmo

from libremq.client.queue_manager import QueueManager
from libremq.compat import pymqe
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFH, MQCFIN, MQCFST, pack_message, unpack_message

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from interop.administrator import COMMAND_QUEUE, Administrator
from interop.outcomes import FAILED, NOT_YET, PASSED, Outcome, failure, passed, show


@pytest.mark.parametrize(
    ("name", "why", "part"),
    [
        ("test_pubsub.py::TestPubSub::test_x", "MQI Error. Comp 2, Reason 3007", "publish/subscribe"),
        ("test_pcf.py::TestPCF::test_x", "AssertionError", "PCF"),
        ("subscribe.py", "MQI Error. Comp 2, Reason 2298", "publish/subscribe"),
        ("test_new.py::test_x", "MQI Error. Comp: 2, Reason 2298: FAILED", "publish/subscribe"),
        ("test_new.py::test_x", "MQI Error. Comp 2, Reason 3007: FAILED", "PCF"),
    ],
)
def test_what_waits_for_a_part_is_not_a_failure(name: str, why: str, part: str) -> None:
    outcome = failure("tests", name, why)
    assert outcome.state == NOT_YET and outcome.why.startswith(part)


def test_what_a_stand_in_answers_has_not_passed() -> None:
    assert passed("tests", "test_pcf.py::TestPCF::test_x").state == NOT_YET
    assert passed("tests", "def_queue.py").state == NOT_YET
    assert passed("tests", "test_base_api.py::TestGet::test_x").state == PASSED


def test_anything_else_is(capsys: pytest.CaptureFixture[str]) -> None:
    failed = failure("tests", "test_base_api.py::test_x", "Traceback\nMQI Error. Comp 2, Reason 2035\n")
    assert failed.state == FAILED
    show([failed, Outcome("tests", "test_y", PASSED), failure("tests", "subscribe.py", "")])
    shown = capsys.readouterr().out
    assert "tests: 1 passed, 1 failed, 1 not yet, 0 skipped" in shown
    assert "Reason 2035" in shown and "subscribe.py: publish/subscribe" in shown
    assert shown.rstrip().endswith("1 passed, 1 failed, 0 skipped")


def test_the_administrator_carries_out_what_fixtures_ask_for(hconn: int, queue_manager: QueueManager) -> None:
    administrator = Administrator(queue_manager.url)
    thread = threading.Thread(target=administrator.run)
    thread.start()
    try:
        named = MQCFST(Parameter=C.MQCA_Q_NAME, String="NEW.QUEUE")
        depth = MQCFIN(Parameter=C.MQIA_MAX_Q_DEPTH, Value=7)
        assert _asked(hconn, C.MQCMD_CREATE_Q, named, depth) == (C.MQCC_OK, C.MQRC_NONE)
        assert queue_manager.display("QLOCAL", "NEW.QUEUE")[0]["maxdepth"] == 7
        assert _asked(hconn, C.MQCMD_CREATE_Q, named)[0] == C.MQCC_FAILED
        assert _asked(hconn, C.MQCMD_DELETE_Q, named) == (C.MQCC_OK, C.MQRC_NONE)
        assert "NEW.QUEUE" not in queue_manager.queue_names()
        assert _asked(hconn, C.MQCMD_INQUIRE_Q) == (C.MQCC_FAILED, C.MQRCCF_CFH_COMMAND_ERROR)
        assert _asked(hconn, C.MQCMD_INQUIRE_Q_MGR) == (C.MQCC_OK, C.MQRC_NONE)
    finally:
        administrator.ended = True
        thread.join(60)
    assert not thread.is_alive()


def _asked(hconn: int, command: int, *parameters: MQCFST | MQCFIN) -> tuple[int, int]:
    """Send a command and read the answer, as the packages do."""
    model = od("SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName="PYMQPCF.*")
    hobj, described = done(pymqe.MQOPEN(hconn, model, C.MQOO_INPUT_EXCLUSIVE))
    header = MQCFH(Type=C.MQCFT_COMMAND_XR, Version=C.MQCFH_VERSION_3, Command=command)
    request = md(Format=C.MQFMT_ADMIN, MsgType=C.MQMT_REQUEST, ReplyToQ=described[12:60].decode().strip())
    sent_md, _ = done(pymqe.MQPUT1(hconn, od(COMMAND_QUEUE), request, pmo(), pack_message(header, parameters)))
    waiting = gmo(Options=C.MQGMO_WAIT, WaitInterval=60_000)
    answer, got_md, _, _ = done(pymqe.MQGET(hconn, hobj, md(), waiting, 4096))
    assert got_md[72:96] == sent_md[48:72]  # CorrelId of the answer, MsgId of the command
    assert pymqe.MQCLOSE(hconn, hobj, C.MQCO_NONE) == (0, 0)
    reply, _ = unpack_message(answer)
    assert (reply.Type, reply.Control) == (C.MQCFT_RESPONSE, C.MQCFC_LAST)
    return reply.CompCode, reply.Reason
