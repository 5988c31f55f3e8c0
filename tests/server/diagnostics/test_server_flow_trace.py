"""The file of a trace: its size, its end when it cannot be written, and flows of every kind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from libremq.server.diagnostics.flow_trace import FOLDER, FlowTrace
from libremq.server.diagnostics.trace_options import TraceOptions
from libremq.wire.flow_words import kind_of, words_of
from libremq.wire.protocol import REPLY, Type
from libremq.wire.segments import Flow


def flow(kind: int, body: bytes = b"", *, big_endian: bool = False) -> Flow:
    return Flow(kind, 0x30, 1, 2, body, big_endian=big_endian)


def test_every_flow_has_words_and_none_of_them_breaks_the_trace() -> None:
    for kind in range(256):
        for body in (b"", b"\0" * 16, bytes(range(256)) * 4):
            for big_endian in (False, True):
                words_of(flow(kind, body, big_endian=big_endian))
    assert kind_of(flow(Type.MQPUT)) == "MQPUT"
    assert kind_of(flow(Type.MQPUT + REPLY)) == "MQPUT_REPLY"
    assert kind_of(flow(0x7F)) == "type 0x7f"
    assert words_of(flow(Type.MQOPEN, b"x")).startswith("cannot be read: ")


def test_a_file_that_is_full_becomes_the_one_before(tmp_path: Path) -> None:
    trace = FlowTrace(str(tmp_path), TraceOptions(data_bytes=-1, size_mb=1), lambda why: None)
    for _ in range(8):
        trace.received("somebody", flow(Type.MESSAGE_DATA, bytes(60_000)))
    trace.end()
    names = sorted(os.listdir(tmp_path / FOLDER))
    assert names == [f"AMQ{os.getpid()}.0.TRC", f"AMQ{os.getpid()}.0.TRS"]
    assert all((tmp_path / FOLDER / name).stat().st_size < 1 << 21 for name in names)


def test_a_trace_that_cannot_be_written_ends_and_says_so_once(tmp_path: Path) -> None:
    told: list[str] = []
    trace = FlowTrace(str(tmp_path), TraceOptions(), told.append)
    assert trace._file is not None
    os.close(trace._file.fileno())  # as a disk that has gone
    trace.received("somebody", flow(Type.HEARTBEAT))
    trace.sent("somebody", flow(Type.HEARTBEAT))
    assert trace._file is None and len(told) == 1 and trace.path in told[0]


def test_a_folder_that_cannot_be_had(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    with pytest.raises(OSError):
        FlowTrace(str(tmp_path), TraceOptions(), lambda why: None)
