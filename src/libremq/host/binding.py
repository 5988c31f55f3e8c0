"""What a binding offers: the MQI of one connection on plain structures, and the administration beside it.

The Python API, the raw verbs and the tests are written against this; embedded, local and client bindings implement
it. Structures are filled in place as MQ does. A failed call raises MQError; a warning is returned as its reason.
A binding may be called from any thread; its calls run one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from libremq.admin.mqsc_session import Answer
from libremq.host.statistics_snapshot import QueueManagerStatistics
from libremq.kernel.objects.attributes import GivenValue
from libremq.kernel.properties.message_handles import InquiredProperty, PropertiesBuffer
from libremq.kernel.recovery.inspection import DecidedUnit, ObjectFiles, UnitInDoubt
from libremq.kernel.state.media_image import MediaResult
from libremq.kernel.state.waiting_gets import Got
from libremq.log import ExtentState, Finding
from libremq.log.management import Archiver
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import (
    MQBMHO,
    MQCBD,
    MQCMHO,
    MQDMHO,
    MQDMPO,
    MQGMO,
    MQIMPO,
    MQMD,
    MQMHBO,
    MQOD,
    MQOR,
    MQPD,
    MQPMO,
    MQPMR,
    MQRR,
    MQSMPO,
    MQSTS,
)


class PutItem(NamedTuple):
    """One message of `Binding.put_many`."""

    md: MQMD
    pmo: MQPMO
    data: bytes


class GotItem(NamedTuple):
    """One message of `Binding.get_many`."""

    md: MQMD
    gmo: MQGMO
    got: Got
    properties: dict[str, PropertyValue]


class Binding(Protocol):
    """One connection (hconn) to a queue manager."""

    @property
    def qmgr_name(self) -> str: ...

    @property
    def connected(self) -> bool: ...

    def end_waits(self) -> None:
        """Another thread is about to end the connection: its waiting gets end."""

    def disconnect(self) -> None: ...

    def open(self, od: MQOD, options: int, records: Sequence[MQOR] = ()) -> int: ...

    def responses(self, hobj: int) -> list[MQRR]: ...

    def close(self, hobj: int, options: int = 0) -> int: ...

    def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, records: Sequence[MQPMR] = ()) -> int: ...

    def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> int: ...

    def get(self, hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None = None) -> Got: ...

    def put_message(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes) -> bytes:
        """MQPUT for a caller who wants the message id and nothing else: what is filled in `md` and `pmo` is open."""

    def put_many(self, hobj: int, items: Sequence[PutItem]) -> None:
        """MQPUT for each, in one flow where there is a network. MQError is that of the first that failed.

        The others are put all the same: do it in a unit of work.
        """

    def get_many(self, hobj: int, md: MQMD, gmo: MQGMO, count: int) -> list[GotItem]:
        """MQGET, again and again, for up to `count` messages; the wait is for the first. MQError if there is none."""

    def begin(self) -> int: ...

    def commit(self) -> None: ...

    def backout(self) -> None: ...

    def inquire(self, hobj: int, selectors: Sequence[int]) -> tuple[list[int | str], int]:
        """The values in selector order, and the reason of a warning."""

    def set(self, hobj: int, values: Mapping[int, int | str]) -> None: ...

    def status(self, kind: int, sts: MQSTS) -> None: ...

    def callback(
        self,
        operation: int,
        cbd: MQCBD,
        function: Callable[..., Any] | None,
        hobj: int = 0,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
        area: object = None,
    ) -> None: ...

    def control(self, operation: int) -> None: ...

    def create_message_handle(self, cmho: MQCMHO | None = None) -> int: ...

    def delete_message_handle(self, hmsg: int, dmho: MQDMHO | None = None) -> None: ...

    def set_property(
        self, hmsg: int, name: str, value: object, type: int, smpo: MQSMPO | None = None, pd: MQPD | None = None
    ) -> None: ...

    def inquire_property(
        self,
        hmsg: int,
        name: str,
        impo: MQIMPO | None = None,
        pd: MQPD | None = None,
        type: int = 0,
        max_length: int | None = None,
    ) -> InquiredProperty: ...

    def delete_property(self, hmsg: int, name: str, dmpo: MQDMPO | None = None) -> None: ...

    def buffer_to_handle(
        self, hmsg: int, md: MQMD, buffer: bytes, bmho: MQBMHO | None = None
    ) -> tuple[MQMD, bytes]: ...

    def handle_to_buffer(
        self, hmsg: int, name: str, md: MQMD, mhbo: MQMHBO | None = None, buffer_length: int | None = None
    ) -> PropertiesBuffer: ...

    def set_properties(self, hmsg: int, values: Mapping[str, object]) -> None:
        """MQSETMP for each value, its type inferred."""

    def properties(self, hmsg: int) -> dict[str, PropertyValue]:
        """MQINQMP for all of them: every property under the name that MQINQMP returns."""

    def xa_start(self, xid: bytes) -> None: ...

    def xa_end(self, xid: bytes) -> None: ...

    def xa_prepare(self, xid: bytes) -> None: ...

    def xa_commit(self, xid: bytes, *, one_phase: bool = False) -> None: ...

    def xa_rollback(self, xid: bytes) -> None: ...

    def xa_recover(self) -> list[bytes]: ...

    def xa_forget(self, xid: bytes) -> None: ...


AttributeValue = int | str | tuple[int, ...] | tuple[str, ...]


class Access(Protocol):
    """A queue manager as a binding reaches it: where connections come from, and its administration.

    A command returns when what it changed is on disk.
    """

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> str:
        """Where its data is, if that is on this machine, else an empty string."""

    def connect(self, user: str, application: str) -> Binding: ...

    def close(self) -> None:
        """Nobody uses this access any more. The last one to an embedded queue manager ends it in good order."""

    def define(
        self, kind: str, name: str, attributes: Mapping[str, GivenValue], *, like: str | None, replace: bool
    ) -> list[str]:
        """What is said besides, as lines of MQSC: which attributes have no effect yet."""

    def alter(self, kind: str, name: str, attributes: Mapping[str, GivenValue]) -> list[str]: ...

    def delete(self, kind: str, name: str, *, purge: bool) -> None: ...

    def clear(self, name: str) -> None: ...

    def display(self, kind: str, pattern: str) -> list[dict[str, AttributeValue]]:
        """The attributes of each object that the name means, by MQSC keyword in lower case."""

    def names(self, kind: str, pattern: str) -> list[str]: ...

    def mqsc(self, text: str) -> list[Answer]:
        """Run the commands of a text of MQSC, one after the other."""

    def checkpoint(self) -> None: ...

    def statistics(self) -> QueueManagerStatistics: ...

    def log_findings(self) -> list[Finding]: ...

    def log_extents(self) -> list[ExtentState]: ...

    def archive_log(self, to: Archiver) -> list[str]: ...

    def mark_log_archived(self, name: str) -> None: ...

    def delete_log_extents(self) -> list[str]: ...

    def record_images(self, type_name: str, pattern: str) -> list[MediaResult]: ...

    def recover_objects(self, type_name: str, pattern: str) -> list[MediaResult]: ...

    def copy_to_backup(self, target: str, log_folder: str) -> None: ...

    def units_in_doubt(self) -> list[UnitInDoubt]: ...

    def decided_units(self) -> list[DecidedUnit]: ...

    def resolve_unit(self, xid: str, *, commit: bool) -> None: ...

    def forget_unit(self, xid: str) -> None: ...

    def object_files(self, type_name: str, pattern: str) -> list[ObjectFiles]: ...
