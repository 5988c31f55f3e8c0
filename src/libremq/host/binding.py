"""What a binding offers: the MQI of one connection on plain structures, and the administration beside it.

The Python API, the raw verbs and the tests are written against this; embedded, local and client bindings implement
it. Structures are filled in place as MQ does. A failed call raises MQError; a warning is returned as its reason.
A binding may be called from any thread; its calls run one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from libremq.mqi import constants as C
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

if TYPE_CHECKING:
    # A client has no use for a queue manager: what these name is not loaded with it
    from libremq.admin.mqsc_session import Answer
    from libremq.host.statistics_snapshot import QueueManagerStatistics
    from libremq.kernel.objects.attributes import GivenValue
    from libremq.kernel.properties.message_handles import InquiredProperty, PropertiesBuffer
    from libremq.kernel.recovery.inspection import DecidedUnit, ObjectFiles, UnitInDoubt
    from libremq.kernel.state.media_image import MediaResult
    from libremq.kernel.state.waiting_gets import Got
    from libremq.log import ExtentState, Finding
    from libremq.log.management import Archiver


class PutItem(NamedTuple):
    """One message of `Binding.put_many`."""

    md: MQMD
    pmo: MQPMO
    data: bytes


class Received(Protocol):
    """A message that a get returned: in structures, or in bytes that are taken apart when somebody asks."""

    @property
    def data(self) -> bytes: ...

    @property
    def length(self) -> int:
        """That of the whole message, also when `data` was cut."""

    @property
    def reason(self) -> int:
        """Of a warning."""

    @property
    def expires(self) -> bool: ...

    @property
    def queue(self) -> str: ...

    @property
    def md(self) -> MQMD: ...

    @property
    def gmo(self) -> MQGMO: ...

    @property
    def properties(self) -> dict[str, PropertyValue]: ...


class GotItem(NamedTuple):
    """A message in structures: one of `Binding.get_many`."""

    md: MQMD
    gmo: MQGMO
    got: Got
    properties: dict[str, PropertyValue]

    @property
    def data(self) -> bytes:
        return self.got.data

    @property
    def length(self) -> int:
        return self.got.length

    @property
    def reason(self) -> int:
        return self.got.reason

    @property
    def expires(self) -> bool:
        return self.md.Expiry != C.MQEI_UNLIMITED

    @property
    def queue(self) -> str:
        return self.gmo.ResolvedQName


class PutCall:
    """Descriptor and options of puts that differ in ids, data and properties. Nobody changes them."""

    __slots__ = ("made", "md", "pmo")

    def __init__(self, md: MQMD, pmo: MQPMO) -> None:
        self.md = md
        self.pmo = pmo
        self.made: Any = None
        """What a binding has made of it, for the next put."""


class GetCall:
    """Descriptor and options of gets that differ in ids. Nobody changes them.

    `brings_properties`: they come with the message; else where the MQGMO says, such as into its handle.
    """

    __slots__ = ("brings_properties", "gmo", "made", "max_length", "md")

    def __init__(self, md: MQMD, gmo: MQGMO, *, max_length: int | None = None, brings_properties: bool = True) -> None:
        self.md = md
        self.gmo = gmo
        self.max_length = max_length
        self.brings_properties = brings_properties
        self.made: Any = None

    def for_the_rest(self, gmo: MQGMO) -> GetCall:
        """The same get, if it has to wait as long; else one for the rest of its wait, which the MQGMO says."""
        if gmo.WaitInterval == self.gmo.WaitInterval:
            return self
        return GetCall(self.md, gmo.copy(), max_length=self.max_length, brings_properties=self.brings_properties)

    def without_wait(self) -> GetCall:
        gmo = self.gmo.copy()
        gmo.Options &= ~C.MQGMO_WAIT
        return GetCall(self.md, gmo, max_length=self.max_length, brings_properties=self.brings_properties)

    def structures(self, message_id: bytes | None, correlation_id: bytes | None, hmsg: int) -> tuple[MQMD, MQGMO]:
        """Of one get, to be filled; `hmsg`: where properties that come with the message go."""
        md, gmo = with_ids(self.md, message_id, correlation_id), self.gmo.copy()
        if self.brings_properties:
            gmo.MsgHandle = hmsg
        return md, gmo


def with_ids(template: MQMD, message_id: bytes | None, correlation_id: bytes | None) -> MQMD:
    """A copy of a descriptor, with the ids that are given."""
    md = template.copy()
    if message_id is not None:
        md.MsgId = message_id
    if correlation_id is not None:
        md.CorrelId = correlation_id
    return md


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

    def put_message(
        self,
        hobj: int,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        """MQPUT for a caller who wants the message id and nothing else."""

    def put1_message(
        self,
        od: MQOD,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        """The same with MQPUT1. The descriptor, of version 1, is not filled; the call is for this queue alone."""

    def put_messages(
        self, hobj: int, puts: Sequence[tuple[PutCall, bytes]], message_id: bytes | None, correlation_id: bytes | None
    ) -> list[bytes]:
        """`put_many` for a caller who wants the message ids and nothing else."""

    def get_message(
        self, hobj: int, get: GetCall, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> Received:
        """MQGET of a message with its properties."""

    def get_messages(
        self, hobj: int, get: GetCall, count: int, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> Sequence[Received]:
        """`get_many` of messages with their properties."""

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
