"""The MQI as it is: 23 verbs on the structures of `libremq.mqi.structs`, for those who know them.

An `MQI` object stands for a connection handle (hconn), so its methods take what follows hconn in C, in that order.
Structures are filled in place. A call that fails raises MQError; one that ends with a warning returns its reason, and
MQRC_NONE (0) is no warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from libremq.client.urls import RECONNECT_DISABLED, RECONNECT_QMGR, RECONNECT_YES
from libremq.host.binding import Access, Binding
from libremq.kernel.properties.message_handles import InquiredProperty, PropertiesBuffer
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import (
    MQBMHO,
    MQBO,
    MQCBD,
    MQCMHO,
    MQCNO,
    MQCTLO,
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

_RECONNECT_OPTIONS = C.MQCNO_RECONNECT | C.MQCNO_RECONNECT_DISABLED | C.MQCNO_RECONNECT_Q_MGR
_RECONNECT = {
    C.MQCNO_RECONNECT: RECONNECT_YES,
    C.MQCNO_RECONNECT_DISABLED: RECONNECT_DISABLED,
    C.MQCNO_RECONNECT_Q_MGR: RECONNECT_QMGR,
}


def MQCONN(name: str) -> MQI:
    """Connect to a queue manager, by a URL or by its name as in MQ: `connecting.url_for` says what a name means."""
    return MQCONNX(name, MQCNO())


def MQCONNX(name: str, cno: MQCNO) -> MQI:
    """Connect with options. The ApplName of a version 7 MQCNO names the application; MQCNO_RECONNECT* count more than
    what a URL or a channel definition says about reconnection.
    """
    from libremq.client import connecting

    _check_cno(cno, name)
    access = connecting.reach(connecting.url_for(name), reconnect=_RECONNECT.get(cno.Options & _RECONNECT_OPTIONS))
    try:
        application = cno.ApplName if cno.Version >= C.MQCNO_VERSION_7 else ""
        binding = access.connect(connecting.current_user(), application or connecting.current_application())
    except BaseException:
        access.close()
        raise
    return MQI(binding, access, close=True)


def _check_cno(cno: MQCNO, name: str) -> None:
    if not 1 <= cno.Version <= C.MQCNO_CURRENT_VERSION:
        raise mq_error(C.MQRC_CNO_ERROR, name, f"MQCNO version {cno.Version} is not known")
    if cno.Options & _RECONNECT_OPTIONS not in (C.MQCNO_RECONNECT_AS_DEF, *_RECONNECT):
        raise mq_error(C.MQRC_OPTIONS_ERROR, name, f"options {cno.Options:#x} ask for reconnection in two ways")


class MQI:
    """One connection handle. `QueueManager.mqi` is that of the calling thread; `MQCONN` makes one that stands alone."""

    def __init__(
        self, binding: Binding, access: Access, *, close: bool = False, on_disconnect: Callable[[], None] | None = None
    ) -> None:
        self.binding = binding
        self._access = access
        self._close = close
        self._on_disconnect = on_disconnect

    def __repr__(self) -> str:
        return f"<MQI of {self._access.name}>"

    # Connections

    def MQCONN(self, name: str = "") -> MQI:
        """Another connection to the same queue manager, with a unit of work of its own."""
        return self.MQCONNX(name, MQCNO())

    def MQCONNX(self, name: str, cno: MQCNO) -> MQI:
        if name not in ("", self._access.name):
            return MQCONNX(name, cno)
        _check_cno(cno, name)
        from libremq.client import connecting

        application = cno.ApplName if cno.Version >= C.MQCNO_VERSION_7 else ""
        binding = self._access.connect(connecting.current_user(), application or connecting.current_application())
        return MQI(binding, self._access)

    def MQDISC(self) -> None:
        """End the connection. A unit of work in progress is committed, open objects are closed."""
        try:
            self.binding.disconnect()
        finally:
            if self._on_disconnect is not None:
                self._on_disconnect()
            if self._close:
                self._access.close()

    # Objects

    def MQOPEN(self, od: MQOD, options: int, records: Sequence[MQOR] = ()) -> int:
        """hobj. With object records it opens a distribution list; `MQRR` has the outcome of each."""
        return self.binding.open(od, options, records)

    def MQRR(self, hobj: int) -> list[MQRR]:
        """The response records of the latest open of, or put to, a distribution list. Not a verb in C."""
        return self.binding.responses(hobj)

    def MQCLOSE(self, hobj: int, options: int = C.MQCO_NONE) -> int:
        """The reason of a warning. A temporary dynamic queue goes with the handle that made it."""
        return self.binding.close(hobj, options)

    def MQINQ(self, hobj: int, selectors: Sequence[int]) -> tuple[list[int | str], int]:
        """The values in the order of the selectors, and the reason of a warning."""
        return self.binding.inquire(hobj, selectors)

    def MQSET(self, hobj: int, values: Mapping[int, int | str]) -> None:
        """Change attributes, by selector."""
        self.binding.set(hobj, values)

    # Messages

    def MQPUT(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, records: Sequence[MQPMR] = ()) -> int:
        """The reason of a warning. With MQPMO_SYNCPOINT it belongs to the unit of work of this connection."""
        return self.binding.put(hobj, md, pmo, data, records)

    def MQPUT1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        """Open, put and close in one call. The reason of a warning."""
        return self.binding.put1(od, md, pmo, data)

    def MQGET(self, hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None = None) -> Got:
        """Data, length, completion code and reason. A buffer length of None takes a message of any length.

        A message longer than the buffer is a warning, as in MQ: 2079 if it was cut, 2080 if it is still on the queue.
        """
        return self.binding.get(hobj, md, gmo, buffer_length)

    def MQSTAT(self, kind: int, sts: MQSTS) -> None:
        """What became of puts with MQPMO_ASYNC_RESPONSE since the last time."""
        self.binding.status(kind, sts)

    # Publish/subscribe

    def MQSUB(self, *arguments: object) -> NoReturn:
        """Not in this release: MQRC_FUNCTION_NOT_SUPPORTED."""
        raise self._no_publish_subscribe()

    def MQSUBRQ(self, *arguments: object) -> NoReturn:
        """Not in this release: MQRC_FUNCTION_NOT_SUPPORTED."""
        raise self._no_publish_subscribe()

    def _no_publish_subscribe(self) -> MQError:
        return mq_error(C.MQRC_FUNCTION_NOT_SUPPORTED, self._access.name, "this release has no publish/subscribe")

    # Units of work

    def MQBEGIN(self, bo: MQBO | None = None) -> int:
        """Units of work begin by themselves; returns MQRC_NO_EXTERNAL_PARTICIPANTS."""
        if bo is not None and (bo.Version != C.MQBO_VERSION_1 or bo.Options):
            raise mq_error(C.MQRC_BO_ERROR, self._access.name, f"MQBO version {bo.Version}, options {bo.Options:#x}")
        return self.binding.begin()

    def MQCMIT(self) -> None:
        """Commit the unit of work."""
        self.binding.commit()

    def MQBACK(self) -> None:
        """Back the unit of work out."""
        self.binding.backout()

    # Asynchronous consumption

    def MQCB(
        self,
        operation: int,
        cbd: MQCBD,
        hobj: int = C.MQHO_UNUSABLE_HOBJ,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
        *,
        function: Callable[..., Any] | None = None,
        area: object = None,
    ) -> None:
        """Register, deregister, suspend or resume a consumer, or the event handler of the connection without hobj.

        The function is called as function(md, gmo, data, cbc) in a thread of the connection; the first three are None
        for calls without a message. `area` is for the caller to keep.
        """
        self.binding.callback(operation, cbd, function, 0 if hobj == C.MQHO_UNUSABLE_HOBJ else hobj, md, gmo, area)

    def MQCTL(self, operation: int, ctlo: MQCTLO | None = None) -> None:
        """Start, stop, suspend or resume all consumers. MQOP_START_WAIT calls them in this thread."""
        if ctlo is not None and ctlo.Version != C.MQCTLO_VERSION_1:
            raise mq_error(C.MQRC_CTLO_ERROR, self._access.name, f"MQCTLO version {ctlo.Version} is not known")
        self.binding.control(operation)

    # Message handles

    def MQCRTMH(self, cmho: MQCMHO | None = None) -> int:
        """hmsg."""
        return self.binding.create_message_handle(cmho)

    def MQDLTMH(self, hmsg: int, dmho: MQDMHO | None = None) -> None:
        self.binding.delete_message_handle(hmsg, dmho)

    def MQSETMP(self, hmsg: int, smpo: MQSMPO | None, name: str, pd: MQPD | None, type: int, value: object) -> None:
        """Set a property; `value` is a Python value, or bytes in the encoding that the MQSMPO names."""
        self.binding.set_property(hmsg, name, value, type, smpo, pd)

    def MQINQMP(
        self,
        hmsg: int,
        impo: MQIMPO | None,
        name: str,
        pd: MQPD | None = None,
        type: int = C.MQTYPE_AS_SET,
        value_length: int | None = None,
    ) -> InquiredProperty:
        """Value, type, length, name, descriptor, completion code and reason of a property."""
        return self.binding.inquire_property(hmsg, name, impo, pd, type, value_length)

    def MQDLTMP(self, hmsg: int, dmpo: MQDMPO | None, name: str) -> None:
        self.binding.delete_property(hmsg, name, dmpo)

    def MQBUFMH(self, hmsg: int, bmho: MQBMHO | None, md: MQMD, buffer: bytes) -> tuple[MQMD, bytes]:
        """The properties in the MQRFH2 of a buffer become those of the handle; descriptor and data without them."""
        return self.binding.buffer_to_handle(hmsg, md, buffer, bmho)

    def MQMHBUF(
        self, hmsg: int, mhbo: MQMHBO | None, name: str, md: MQMD, buffer_length: int | None = None
    ) -> PropertiesBuffer:
        """The properties that a name such as "%" means as an MQRFH2, and the descriptor that goes with it."""
        return self.binding.handle_to_buffer(hmsg, name, md, mhbo, buffer_length)
