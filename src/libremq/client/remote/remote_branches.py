"""Two-phase commit over a connection: the calls of a transaction manager."""

from __future__ import annotations

import threading
from typing import Any

from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.wire import xa_flows
from libremq.wire.protocol import Type


class RemoteBranches:
    """The XA verbs of a connection."""

    _lock: threading.RLock
    _name: str

    def _check(self) -> None:
        """Is the connection there, and may this thread use it?"""
        raise AssertionError("a connection says that")

    def _call(self, kind: int, body: bytes) -> Any:
        raise AssertionError("a connection does that")

    def _words(self) -> tuple[str, str] | None:
        raise AssertionError("a connection has them")

    def _xa(self, kind: int, xid: bytes, flags: int = 0) -> None:
        try:
            body = xa_flows.pack_xa(0, flags, xa_flows.pack_xid(xid))
        except (TypeError, ValueError) as error:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, self._name, str(error)) from error
        with self._lock:
            self._check()
            flow = self._call(kind, body)
            self._xa_outcome(flow)

    def _xa_outcome(self, flow: Any) -> bytes:
        value, _, rest = xa_flows.unpack_xa(flow.body)
        words = self._words()
        if value < 0:
            name, detail = words or ("", "")
            raise mq_error(-value, name, detail)
        return rest

    def xa_start(self, xid: bytes) -> None:
        self._xa(Type.XA_START, xid)

    def xa_end(self, xid: bytes) -> None:
        self._xa(Type.XA_END, xid)

    def xa_prepare(self, xid: bytes) -> None:
        self._xa(Type.XA_PREPARE, xid)

    def xa_commit(self, xid: bytes, *, one_phase: bool = False) -> None:
        self._xa(Type.XA_COMMIT, xid, xa_flows.TM_ONE_PHASE if one_phase else 0)

    def xa_rollback(self, xid: bytes) -> None:
        self._xa(Type.XA_ROLLBACK, xid)

    def xa_forget(self, xid: bytes) -> None:
        self._xa(Type.XA_FORGET, xid)

    def xa_recover(self) -> list[bytes]:
        with self._lock:
            self._check()
            return xa_flows.unpack_xids(
                self._xa_outcome(self._call(Type.XA_RECOVER, xa_flows.pack_xa(0, 0, xa_flows.pack_xids([]))))
            )
