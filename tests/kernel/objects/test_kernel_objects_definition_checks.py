"""ALTER QMGR CCSID takes what a queue manager can write its names and headers in, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import libremq
from libremq.common.ccsid import codec, known_ccsids
from libremq.kernel.objects.definition_checks import check_queue_manager_ccsid
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFH, MQCFIN, pack_message, unpack_message


def test_every_known_ccsid_is_taken_or_refused_with_its_cause() -> None:
    for ccsid in known_ccsids():
        found = codec(ccsid)
        assert found is not None
        if found.fits_headers and not found.kind.is_ebcdic:
            check_queue_manager_ccsid(ccsid, "QM1")
            assert len(found.encode("SYSTEM.ADMIN_1/%")) == 16  # one byte for each
        else:
            with pytest.raises(MQError) as refused:
                check_queue_manager_ccsid(ccsid, "QM1")
            assert refused.value.reason == C.MQRCCF_CCSID_ERROR


@pytest.mark.parametrize(
    ("ccsid", "why"), [(4711, "is not one that is known"), (1200, "two bytes"), (500, "EBCDIC"), (939, "EBCDIC")]
)
def test_a_ccsid_that_is_refused_changes_nothing(tmp_path: Path, ccsid: int, why: str) -> None:
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}") as qm:
        [answer] = qm.mqsc(f"ALTER QMGR DESCR('new') CCSID({ccsid})")
        assert (answer.state, answer.reason) == ("failed", C.MQRCCF_CCSID_ERROR)
        assert why in " ".join(answer.lines)
        assert (qm.attributes["ccsid"], qm.attributes["descr"]) == (1208, "")
        with pytest.raises(MQError, match=why):
            qm.alter("QMGR", ccsid=ccsid)
        qm.alter("QMGR", ccsid=819, descr="new")
        assert (qm.attributes["ccsid"], qm.attributes["descr"]) == (819, "new")


def test_pcf_hears_the_same(tmp_path: Path) -> None:
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}") as qm, qm.dynamic_queue() as replies:
        data = pack_message(
            MQCFH(Command=C.MQCMD_CHANGE_Q_MGR), [MQCFIN(Parameter=C.MQIA_CODED_CHAR_SET_ID, Value=1200)]
        )
        qm.queue("SYSTEM.ADMIN.COMMAND.QUEUE").put(
            data, format=C.MQFMT_ADMIN, message_type=C.MQMT_REQUEST, reply_to=replies.name
        )
        header, _ = unpack_message(replies.get(10).data)
        assert (header.CompCode, header.Reason) == (C.MQCC_FAILED, C.MQRCCF_CCSID_ERROR)
