"""A client whose queue manager talks rubbish: every call ends, with a result or with an MQError."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
from helper_mutations import mutated

import libremq
from libremq import MQError
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO, MQSTS
from libremq.testing.serving import Served, served_queue_manager

QUEUE = "FUZZ.Q"
LIMIT_S = 240
SESSIONS = 30


class BadProxy:
    """Passes on what the client says, and now and then something else than the queue manager answered."""

    def __init__(self, port: int, seed: str) -> None:
        self._to = port
        self._chance = random.Random(seed)
        self._from = self._chance.choice((0, 1, 3, 6, 12, 20))  # segments that are left alone at first
        self._often = self._chance.choice((0.05, 0.3, 1.0))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(LIMIT_S)
            assert not thread.is_alive()

    def _start(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._to))
            self._start(self._carry, near, far, False)
            self._start(self._carry, far, near, True)

    def _carry(self, source: socket.socket, sink: socket.socket, spoil: bool) -> None:
        pending, seen = b"", 0
        known: list[bytes] = []
        try:
            while data := source.recv(65536):
                if not spoil:
                    sink.sendall(data)
                    continue
                pending += data
                while len(pending) >= 8 and len(pending) >= (length := int.from_bytes(pending[4:8], "big")):
                    raw, pending = pending[:length], pending[length:]
                    known.append(raw)
                    seen += 1
                    if seen > self._from and self._chance.random() < self._often:
                        raw = mutated(self._chance, [raw], known)
                    sink.sendall(raw)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
        yield served


def session(port: int, patience_s: float) -> int:
    """Many calls, each of which may fail; how many did not."""
    done = 0
    address = f"mq://127.0.0.1:{port}/QM1?call_timeout={patience_s}&connect_timeout={patience_s}&reconnect=no"
    with libremq.connect(address) as qm:
        mqi = qm.mqi
        hobj = mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT | C.MQOO_INQUIRE | C.MQOO_SET)
        hmsg = mqi.MQCRTMH()
        mqi.binding.set_properties(hmsg, {"colour": "blue"})
        in_handle = MQGMO(Version=4, MsgHandle=hmsg, Options=C.MQGMO_PROPERTIES_IN_HANDLE)
        records = [MQOR(ObjectName=QUEUE), MQOR(ObjectName=QUEUE)]
        for call in (
            lambda: mqi.MQPUT(hobj, MQMD(), MQPMO(), b"one"),
            lambda: mqi.MQPUT(hobj, MQMD(Version=2), MQPMO(Version=3, NewMsgHandle=hmsg), b"two"),
            lambda: mqi.MQPUT1(MQOD(ObjectName=QUEUE), MQMD(), MQPMO(), bytes(100_000)),
            lambda: mqi.MQGET(hobj, MQMD(), MQGMO(), 100),
            lambda: mqi.MQGET(hobj, MQMD(), in_handle, 100),
            lambda: mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_ASYNC_RESPONSE), b"three"),
            lambda: mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, MQSTS()),
            lambda: mqi.binding.get_many(hobj, MQMD(), MQGMO(Version=2, MatchOptions=0), 9),
            lambda: mqi.MQINQ(hobj, [C.MQIA_CURRENT_Q_DEPTH, C.MQCA_Q_NAME]),
            lambda: mqi.MQSET(hobj, {C.MQIA_INHIBIT_GET: 0}),
            lambda: mqi.MQOPEN(MQOD(Version=2, RecsPresent=2), C.MQOO_OUTPUT, records),
            lambda: mqi.MQOPEN(MQOD(ObjectName="NO.SUCH.Q"), C.MQOO_OUTPUT),
            lambda: mqi.binding.xa_recover(),
            lambda: mqi.binding.xa_rollback(b"unknown"),
            lambda: qm.queue_names(),
            lambda: qm.display("QLOCAL", QUEUE),
            lambda: qm.statistics(),
            lambda: mqi.binding.callback(C.MQOP_REGISTER, MQCBD(), lambda *a: None, hobj, MQMD(), MQGMO()),
            lambda: mqi.MQCTL(C.MQOP_START),
            lambda: mqi.MQCTL(C.MQOP_STOP),
            lambda: mqi.MQCMIT(),
            lambda: mqi.MQCLOSE(hobj),
        ):  # fmt: skip
            try:
                call()
                done += 1
            except MQError as error:
                assert str(error)
    return done


@pytest.mark.parametrize("block", range(4))
def test_every_call_ends_with_a_result_or_a_reason(served: Served, block: int) -> None:
    for patience_s in (0.3, 3.0, 30.0):  # more, if the machine is so slow that even good answers come too late
        done = 0
        for number in range(SESSIONS):
            with BadProxy(served.port, f"{block} {number}") as proxy:
                try:
                    done += session(proxy.port, patience_s)
                except MQError as error:
                    assert str(error)
        if done > SESSIONS:
            break
    assert done > SESSIONS
    with libremq.connect(served.url("mq")) as qm:
        assert QUEUE in qm.queue_names()
