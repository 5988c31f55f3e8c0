"""Connections and object handles: what an application holds between its calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from libremq.kernel.objects.object_types import MQObject
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.kernel.state.queue_state import Cursor, QueueState
from libremq.kernel.state.unit_of_work import UNDOING, UnitOfWork
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQRR

if TYPE_CHECKING:
    from libremq.kernel.messages.put_plan import PutPlan
    from libremq.kernel.properties.selector import Selector
    from libremq.kernel.state.waiting_gets import Waiter
    from libremq.kernel.verbs.consumers import Consumer, Delivery
    from libremq.kernel.verbs.groups import GroupState
    from libremq.store.stored_message import Message, Origin


@dataclass(slots=True, eq=False)
class Destination:
    """Where a put goes: a queue here, and for a remote one the names that its transmission header will carry."""

    queue: QueueState
    remote_queue: str = ""
    remote_qmgr: str = ""
    path: tuple[MQObject, ...] = ()  # the definitions that a put passes through: each may inhibit it
    is_remote: bool = field(init=False)
    put_plan: PutPlan | None = field(default=None, init=False, repr=False)  # see `put_plan.plan_of`

    def __post_init__(self) -> None:
        self.is_remote = bool(self.remote_qmgr)


class ObjectHandle:
    """An open object: hobj. One open call makes it, one close call ends it."""

    __slots__ = (
        "alternate_user", "browse_group", "browse_logical", "connection", "created_queue", "cursor", "destination",
        "destinations", "get_group", "group_cursor", "hobj", "locked", "marks", "obj", "object_name",
        "object_qmgr", "options", "propctl", "put_groups", "queue", "read_origin", "responses", "saved_context",
        "saved_origin", "selector", "waiters",
    )  # fmt: skip

    def __init__(self, connection: Connection, hobj: int, obj: MQObject | None, options: int, object_name: str) -> None:
        self.connection = connection
        self.hobj = hobj
        self.obj = obj  # the object that was named: what MQINQ and MQSET work on
        self.options = options
        self.object_name = object_name
        self.object_qmgr = ""  # as the object descriptor said it
        self.queue: QueueState | None = None  # the local queue under it, for get and browse
        self.destination: Destination | None = None  # for put
        self.destinations: list[Destination | None] = []  # of a distribution list, in the order of its records
        self.responses: list[MQRR] = []  # of a distribution list, the latest outcome of each record
        self.cursor: Cursor | None = None
        self.group_cursor: Cursor | None = None  # browsing in logical order: the first message of the current group
        self.locked: list[int] = []  # slots that it browsed with a lock: one message, or all segments of one
        self.marks: set[int] = set()  # slots of messages that this handle marked
        self.selector: Selector | None = None
        self.saved_context: MQMD | None = None
        self.saved_origin: Origin | None = None  # of the message whose context that is
        self.read_origin: Origin | None = None  # of the message that was got or browsed last
        # What its last calls left unfinished of groups and segmented messages; puts for each destination of a list
        self.put_groups: dict[int, GroupState] = {}
        self.get_group: GroupState | None = None
        self.browse_group: GroupState | None = None
        self.browse_logical: bool | None = None  # was the last browse in logical order; None: there was none
        self.created_queue = False  # this open made a dynamic queue
        self.alternate_user = ""
        self.propctl = C.MQPROP_COMPATIBILITY
        self.waiters: set[Waiter] = set()

    def save_context(self, message: Message) -> None:
        """MQOO_SAVE_ALL_CONTEXT: of the message that was got last."""
        self.saved_context, self.saved_origin = message.md, message.origin
        self.read_origin = message.origin

    def has(self, option: int) -> bool:
        return bool(self.options & option)

    @property
    def counts_as(self) -> int:
        """So many handles, for MAXHANDS."""
        return len(self.destinations) or 1

    @property
    def is_input(self) -> bool:
        return bool(self.options & (C.MQOO_INPUT_AS_Q_DEF | C.MQOO_INPUT_SHARED | C.MQOO_INPUT_EXCLUSIVE))


@dataclass
class AsyncPutStatus:
    """What MQSTAT tells of puts with MQPMO_ASYNC_RESPONSE since the last time it was asked."""

    comp_code: int = C.MQCC_OK
    reason: int = C.MQRC_NONE
    successes: int = 0
    warnings: int = 0
    failures: int = 0
    object_name: str = ""
    object_qmgr: str = ""


@dataclass(eq=False)
class Connection:
    """A connected application: hconn."""

    hconn: int
    user: str = ""  # who it acts as
    application: str = ""
    application_type: int = C.MQAT_UNIX
    lsn: int = 0  # no reply to this connection goes out before the log is forced beyond this record
    unit: UnitOfWork | None = None
    handles: dict[int, ObjectHandle] = field(default_factory=dict)
    next_hobj: int = 1
    open_count: int = 0  # of them, as MAXHANDS counts: a distribution list is as many as it has queues
    message_handles: MessageHandles = field(init=False)
    async_puts: AsyncPutStatus = field(default_factory=AsyncPutStatus)
    consumers: dict[int, Consumer] = field(default_factory=dict)
    event_handler: Consumer | None = None
    consuming: bool = False  # MQCTL started it
    suspended: bool = False
    xa_unit: UnitOfWork | None = None  # the branch that a transaction manager started on this connection
    calls: deque[Delivery] = field(default_factory=deque)  # start, stop and event calls to be made
    wake: Callable[[], None] | None = None  # the binding wants to know when there is something to deliver
    backed_out: bool = False  # the queue manager ended its unit of work; the next call must hear of it
    accounting_token: bytes = C.MQACT_NONE  # of the user, in the context of what it puts
    groups: frozenset[str] = frozenset()  # of the user
    groups_are_given: bool = False  # by whoever connected it: not to be looked up again
    privileged: bool = True  # its authorities are never checked
    privilege_of: str | None = None  # the user that it is privileged as, where that may come to an end
    options: int = C.MQCNO_NONE  # that it connected with
    trusted: bool = True  # nor are those of alternate users: it is in the process of the queue manager

    def __post_init__(self) -> None:
        self.message_handles = MessageHandles(self.hconn)

    @property
    def is_lost(self) -> bool:
        """Has the queue manager backed out its unit of work, or begun to? Nothing more can be done in it."""
        unit = self.unit
        return self.backed_out or (unit is not None and unit.state is UNDOING)

    def keep(self, handle: ObjectHandle) -> None:
        """The open went well: the handle is the application's from now on."""
        self.handles[handle.hobj] = handle
        self.next_hobj = handle.hobj + 1
        self.open_count += handle.counts_as

    def drop(self, handle: ObjectHandle) -> None:
        """It is closed."""
        del self.handles[handle.hobj]
        self.open_count -= handle.counts_as

    def depend_on(self, lsn: int) -> None:
        """For the two places that `verb_result` names, and for no other."""
        if lsn > self.lsn:
            self.lsn = lsn
