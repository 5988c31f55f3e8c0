"""A trace of a message channel: both ends tell what they send and what comes, messages and confirmations."""

from __future__ import annotations

from pathlib import Path

from helper_partners import define
from helper_peers import wait_until

import libremq
from libremq.server.diagnostics.flow_trace import FlowTrace
from libremq.server.diagnostics.trace_options import TraceOptions
from libremq.testing.serving import served_queue_manager


def test_the_flows_of_a_message_channel(tmp_path: Path) -> None:
    with (
        served_queue_manager("QM1", folder=tmp_path / "one") as one,
        served_queue_manager("QM2", folder=tmp_path / "two") as two,
    ):
        define(one, "QLOCAL", "QM2", USAGE="XMITQ")
        define(one, "QREMOTE", "FAR", RNAME="TARGET", RQMNAME="QM2")
        define(one, "CHANNEL", "QM1.TO.QM2", CHLTYPE="SDR", CONNAME=f"127.0.0.1({two.port})", XMITQ="QM2")
        define(two, "CHANNEL", "QM1.TO.QM2", CHLTYPE="RCVR")
        define(two, "QLOCAL", "TARGET")
        traces = []
        for served, name in ((one, "one"), (two, "two")):
            # Only this channel: what the applications of the test do is not in it
            options = TraceOptions(frozenset({"comms"}), programs=frozenset({"QM1.TO.QM2"}))
            folder = tmp_path / f"traced.{name}"
            folder.mkdir()
            served.event_loop.trace = FlowTrace(str(folder), options, lambda why: None)
            traces.append(served.event_loop.trace)
        with libremq.connect(one.url("local")) as qm, libremq.connect(two.url("local")) as far:
            qm.mqsc("START CHANNEL(QM1.TO.QM2)")
            qm.queue("FAR").put("over the hills")
            assert far.queue("TARGET").get(60).text == "over the hills"
            wait_until(lambda: qm.queue("QM2").depth == 0)
        sender, receiver = (Path(trace.path).read_text() for trace in traces)
    for text in (sender, receiver):
        assert " MESSAGE_DATA " in text and " MQPUT " not in text
    sent = [line for line in sender.splitlines() if " -> " in line]
    came = [line for line in receiver.splitlines() if " <- " in line]
    assert any(" MESSAGE_DATA " in line for line in sent) and any(" MESSAGE_DATA " in line for line in came)
    assert any("channel 'QM1.TO.QM2'" in line for line in sent)
