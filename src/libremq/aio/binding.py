"""What a binding offers to the asyncio API: the MQI of one connection as coroutines, and the administration beside it.

Structures are filled in place as MQ does; properties go in and come out as a dict. Calls of one connection are done in
the order in which they were begun. What a cancellation does to a call is said in `aio.pending_calls`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from libremq.host.binding import GetCall, PutCall, Received
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO

Properties = Mapping[str, object] | None
Id = bytes | None


def answered(pmo: MQPMO) -> None:
    """What is awaited is answered, also on a queue with DEFPRESP(ASYNC); `put_many` is for many."""
    pmo.Options = pmo.Options & ~C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNC_RESPONSE


class Binding(Protocol):
    """One connection (hconn) to a queue manager."""

    @property
    def connected(self) -> bool: ...

    async def disconnect(self) -> None: ...

    def abandon(self) -> None:
        """End it without waiting: what is not committed is backed out."""

    async def open(self, od: MQOD, options: int) -> int: ...

    async def close(self, hobj: int) -> None: ...

    def close_soon(self, hobj: int) -> None:
        """Close a handle without waiting, and whatever comes of it."""

    async def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, properties: Properties) -> None: ...

    async def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes, properties: Properties) -> None: ...

    async def put_message(
        self, hobj: int, put: PutCall, data: bytes, message_id: Id, correlation_id: Id, properties: Properties
    ) -> bytes:
        """A put of which only the message id is asked for."""

    async def put_messages(
        self, hobj: int, puts: Sequence[tuple[PutCall, bytes]], message_id: Id, correlation_id: Id
    ) -> list[bytes]: ...

    async def get_message(self, hobj: int, get: GetCall, message_id: Id, correlation_id: Id) -> Received: ...

    async def get_messages(
        self, hobj: int, get: GetCall, count: int, message_id: Id, correlation_id: Id
    ) -> Sequence[Received]: ...

    def end_wait(self, error: MQError, hobj: int = 0) -> None:
        """A get that waits (on that handle, if one is given) ends now: with its message if that has come, or so."""

    async def commit(self) -> None: ...

    async def backout(self) -> None: ...

    async def inquire(self, hobj: int, selectors: Sequence[int]) -> list[int | str]: ...

    async def set(self, hobj: int, values: Mapping[int, int | str]) -> None: ...

    async def xa(self, verb: str, xid: bytes, *, one_phase: bool = False) -> None:
        """xa_start, xa_end, xa_prepare, xa_commit, xa_rollback or xa_forget."""

    async def xa_recover(self) -> list[bytes]: ...


class Access(Protocol):
    """A queue manager as a binding reaches it."""

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> str: ...

    async def connect(self, user: str, application: str) -> Binding: ...

    async def command(self, call: str, /, *args: Any, **kwargs: Any) -> Any:
        """A method of `host.binding.Access`, by its name."""

    async def close(self) -> None: ...
