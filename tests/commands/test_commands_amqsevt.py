"""`amqsevt`: real events of a queue manager, from one queue or from all, taken off or left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helper_amqs import Samples

import libremq
from libremq.mqi import constants as C

PERFM, CONFIG = "SYSTEM.ADMIN.PERFM.EVENT", "SYSTEM.ADMIN.CONFIG.EVENT"


@pytest.fixture
def sample(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Samples:
    """A queue manager with two sorts of events on their queues."""
    samples = Samples(capsys, monkeypatch, tmp_path)
    with libremq.connect("embedded:QM1?create=1", user="alice") as qm:
        for name in (PERFM, CONFIG, "SYSTEM.ADMIN.QMGR.EVENT"):
            qm.alter("QLOCAL", name, defpsist="yes")
        qm.alter("QMGR", perfmev="enabled", strstpev="disabled")
        qm.define_local("ORDERS", maxdepth=1, qdpmaxev="enabled", defpsist="yes")
        qm.queue("ORDERS").put("1")
        with pytest.raises(libremq.MQError):
            qm.queue("ORDERS").put("2")
        qm.alter("QMGR", configev="enabled")
        qm.define_local("NEW")
        qm.alter("QMGR", configev="disabled")
        qm.clear("SYSTEM.ADMIN.QMGR.EVENT")
    return samples


def test_events_in_words(sample: Samples) -> None:
    for flags in (["-b"], []):
        lines = sample.good("amqsevt", "-m", "QM1", "-q", PERFM, "-w", "0", *flags)
        assert lines[0].startswith("**** Message #1 (") and lines[0].endswith(f" Bytes) on Queue {PERFM} ****")
        assert "Reason                         : Queue Full [2053]" in lines
        assert "  Base Object Name             : ORDERS" in lines
    assert sample.good("amqsevt", "-m", "QM1", "-q", PERFM, "-w", "0") == []  # they are taken off


def test_events_of_all_queues_as_json(sample: Samples) -> None:
    found = [json.loads(line) for line in sample.good("amqsevt", "-m", "QM1", "-w", "0", "-o", "json_compact")]
    assert {one["eventSource"]["objectName"] for one in found} == {PERFM, CONFIG}
    config = [one for one in found if one["eventSource"]["objectName"] == CONFIG]
    assert "Config Create Object" in {one["eventReason"]["name"] for one in config}
    assert any(one["eventData"].get("queueName") == "NEW" for one in config)
    assert {one["eventSource"]["queueMgr"] for one in found} == {"QM1"}
    text = "\n".join(sample.good("amqsevt", "-m", "QM1", "-w", "0", "-o", "json"))
    assert text == ""


def test_what_is_no_event_and_what_is_not_there(sample: Samples) -> None:
    lines = sample.good("amqsevt", "-m", "QM1", "-q", "ORDERS", "-w", "0", "-b")
    assert len(lines) == 1 and "is no event" in lines[0]
    for flags in ([], ["-o", "json"]):  # a queue that was named by mistake keeps its messages
        code, lines, err = sample("amqsevt", "-m", "QM1", "-q", "ORDERS", "-w", "0", *flags)
        assert code == C.MQRC_FORMAT_ERROR % 256 and "stays on ORDERS" in err
        assert ("is no event" in err, len(lines)) == ((True, 0) if flags else (False, 1))
        with libremq.connect("embedded:QM1", user="alice") as qm:
            assert qm.queue("ORDERS").depth == 1
    code, lines, err = sample("amqsevt", "-m", "QM1", "-q", "NOBODY", "-w", "0")
    assert code == C.MQRC_UNKNOWN_OBJECT_NAME % 256
    assert lines == ["MQOPEN of NOBODY ended with reason code 2085"] and "NOBODY" in err
    code, lines, err = sample("amqsevt", "-m", "QM1", "-c", "-w", "0")
    assert code == C.MQRC_Q_MGR_NAME_ERROR % 256 and "MQSERVER" in err
