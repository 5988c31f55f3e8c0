"""The queue manager as a Python program sees it.

Every thread that uses it gets a connection of its own, made when it is needed, ended with the thread or with `close`.
So threads share one QueueManager and its Queue objects freely, and a transaction is that of the thread that began it.
"""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Unpack

from libremq.client import options as opt
from libremq.client.administration import Administration
from libremq.client.connecting import current_application, current_user
from libremq.client.dead_threads import DeadThreads
from libremq.client.message import Message
from libremq.client.options import REPLY_MODEL, Data, Named, PutOptions
from libremq.client.queue import Queue
from libremq.client.session import Session
from libremq.client.transaction import Transaction
from libremq.client.verbs import MQI
from libremq.client.xa import XA
from libremq.host.binding import Access
from libremq.host.statistics_snapshot import QueueManagerStatistics
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQOD

if TYPE_CHECKING:
    from libremq.client.consumer import Consumer


class QueueManager(Administration):
    """A connected queue manager; made by `libremq.connect`. Safe to share between threads."""

    def __init__(
        self, access: Access, *, url: str = "", user: str | None = None, application: str | None = None
    ) -> None:
        self._access = access
        self.url = url
        self.user = current_user() if user is None else user
        self.application = current_application() if application is None else application
        self.xa = XA(self)
        """Two-phase commit, for transaction managers."""
        self._local = threading.local()
        self._guard = threading.Lock()
        self._sessions: set[Session] = set()
        self._consumers: set[Consumer] = set()
        # What finalizers leave to be closed: they may run in the middle of a call and must not make one themselves.
        # The serial number of a Queue object that is gone, a handle of a browser.
        self._orphans: deque[int | tuple[Session, int]] = deque()
        self._dead_threads = DeadThreads(access.name, self._end_private)
        self._closed = False
        try:
            self._session()
        except BaseException:
            access.close()
            raise

    @property
    def name(self) -> str:
        return self._access.name

    @property
    def folder(self) -> str:
        """Where its data is, if that is on this machine."""
        return self._access.folder

    def __repr__(self) -> str:
        return f"<QueueManager {self.name}{', closed' if self._closed else ''}>"

    # Messages

    def queue(
        self,
        name: str,
        *,
        manager: str = "",
        exclusive: bool | None = None,
        selector: str | None = None,
        open_options: int = 0,
        alternate_user: str = "",
    ) -> Queue:
        """A queue by its name. It is opened when it is used, so a name that does not exist shows then.

        With `exclusive=True` it is opened for input at once, by this thread.

        - `manager`: the queue manager it belongs to, if not this one.
        - `exclusive`: True: nobody else can open it for input while it is open; False shares it; None does what the
          definition says (DEFSOPT).
        - `selector`: get and browse only messages that it chooses: `"colour = 'red' AND weight > 2"`.
        - `open_options`: MQOO_* that go with an access, such as MQOO_SET_ALL_CONTEXT.
        - `alternate_user`: open it with the authority of this user.
        """
        queue = Queue(
            self,
            name,
            manager_name=manager,
            exclusive=exclusive,
            selector=selector,
            open_options=open_options,
            alternate_user=alternate_user,
        )
        if exclusive:
            queue.handle("input")
        return queue

    def dynamic_queue(self, model: str = REPLY_MODEL, name: str = "AMQ.*") -> Queue:
        """Make a queue from a model; `name` may end in an asterisk, which is replaced by something unique.

        A temporary one is gone when the returned object is closed, or dropped.

        It is gone when its thread ends, too.
        """
        queue = Queue(self, model, dynamic_name=name)
        queue.handle("input")
        if queue.name == model:
            queue.close()
            raise bad_value(C.MQRC_Q_TYPE_ERROR, model, "it is no model queue, so no queue is made from it")
        return queue

    def put(self, queue: str | Named, data: Data, **options: Unpack[PutOptions]) -> bytes:
        """Put one message on a queue, without keeping the queue open (MQPUT1). The rest is as for `Queue.put`."""
        name = getattr(queue, "name", queue)
        if not isinstance(name, str):
            raise wrong_type(C.MQRC_UNKNOWN_OBJECT_NAME, "", f"the name of a queue is a str, not {queue!r}")
        return self._put1(MQOD(ObjectName=name), data, options)

    def _put1(self, od: MQOD, data: Data, options: PutOptions) -> bytes:
        session = self._session()
        calls = session.calls_to(od.ObjectName, od.ObjectQMgrName)
        put = opt.this_put(calls, od.ObjectName, data, options, syncpoint=session.syncpoint)
        return session.binding.put1_message(
            od, put.call, put.data, put.message_id, put.correlation_id, options.get("properties")
        )

    def transaction(self) -> Transaction:
        """A unit of work of this thread: `with qm.transaction():`.

        Puts and gets in the block happen together when it ends, or not at all if it ends with an exception. When it has
        ended, what it did is on disk.
        """
        return Transaction(self)

    def dead_letter(self, message: Message, reason: int, *, queue: str = "", queue_manager: str = "") -> bytes | None:
        """Put a message that cannot be dealt with on the dead-letter queue, behind a header that says why.

        The sender's wishes count: with MQRO_DISCARD_MSG the message is dropped and None returned, with MQRO_EXCEPTION
        a report goes out. `reason` is an MQRC or MQFB code; `queue` and `queue_manager` are where the message should
        have gone, by default where it was. Do it in the transaction that got the message, so that it is never in two
        places or none.
        """
        from libremq.client import replies

        return replies.dead_letter(self, message, reason, queue, queue_manager)

    # Beneath

    @property
    def mqi(self) -> MQI:
        """The raw verbs, on the connection of this thread: in a transaction of it, they take part in that."""
        session = self._session()
        return MQI(session.binding, self._access, on_disconnect=lambda: self._forget(session))

    def statistics(self) -> QueueManagerStatistics:
        """Counters of the queue manager and its log at this moment."""
        return self._usable_access().statistics()

    # Sessions

    def _session(self) -> Session:
        """The session of this thread. Every call comes through here."""
        if self._closed:
            raise mq_error(C.MQRC_HCONN_ERROR, self.name, "the connection was closed; connect again")
        if self._orphans:
            self._close_orphans()
        self._dead_threads.end_all()
        session: Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._private_session()
            self._dead_threads.own(session)
            self._local.session = session
        return session

    def _private_session(self) -> Session:
        session = Session(self._access.connect(self.user, self.application))
        with self._guard:
            if not self._closed:
                self._sessions.add(session)
                return session
        session.end()
        raise mq_error(C.MQRC_HCONN_ERROR, self.name, "the connection was closed meanwhile")

    def _use_session(self, session: Session) -> None:
        """This thread works with a session that is not its own: that of a consumer."""
        self._local.session = session

    def _end_private(self, session: Session) -> None:
        with self._guard:
            self._sessions.discard(session)
        session.end()

    def _forget(self, session: Session) -> None:
        """The session was disconnected; this thread gets a new one when it needs one."""
        with self._guard:
            self._sessions.discard(session)
        if getattr(self._local, "session", None) is session:
            self._local.session = None

    def _close_orphans(self) -> None:
        while self._orphans:
            try:
                orphan = self._orphans.popleft()
            except IndexError:  # another thread was faster
                return
            if isinstance(orphan, int):
                self._close_handles(orphan)
            else:
                orphan[0].close_quietly(orphan[1])

    def _close_handles(self, serial: int) -> None:
        with self._guard:
            sessions = list(self._sessions)
        for session in sessions:
            session.close_handles(serial)

    # The end

    def close(self) -> None:
        """End the connections of all threads, and the queue manager if it is embedded and nobody else uses it.

        Consumers are stopped, transactions that are not committed are backed out, waiting gets end with HandleError.
        """
        with self._guard:
            if self._closed:
                return
            self._closed = True
            sessions, self._sessions = self._sessions, set()
            consumers, self._consumers = self._consumers, set()
        self._dead_threads.stop()
        try:
            for consumer in consumers:
                consumer.close()
            for session in sessions:
                session.end()
        finally:
            self._access.close()

    @property
    def closed(self) -> bool:
        return self._closed

    def __enter__(self) -> QueueManager:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
