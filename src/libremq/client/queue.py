"""A queue: put, get, iterate, browse, consume, request.

A Queue object opens what it needs when it is needed, for each thread that uses it, and keeps it open until `close`
or until nobody holds the object any more. So it can be shared between threads, and made on the fly.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Unpack

from libremq.client import options as opt
from libremq.client.browser import Browser
from libremq.client.consumer import Consumer
from libremq.client.message import Message
from libremq.client.options import REPLY_MODEL, Data, Identifier, Match, Named, PutOptions, Seconds
from libremq.client.queue_target import QueueTarget
from libremq.client.session import Handle, Session
from libremq.host.statistics_snapshot import QueueStatistics
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.errors import NoMessageAvailable, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQPMO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libremq.client.queue_manager import QueueManager

_IN_A_GROUP = C.MQPMO_LOGICAL_ORDER | C.MQPMO_FAIL_IF_QUIESCING | C.MQPMO_SYNC_RESPONSE  # all or none: each is answered


class Queue(QueueTarget):
    """A queue of a queue manager; made by `QueueManager.queue`. Safe to share between threads."""

    def __init__(
        self,
        manager: QueueManager,
        name: str,
        *,
        manager_name: str = "",
        exclusive: bool | None = None,
        selector: str | None = None,
        open_options: int = 0,
        alternate_user: str = "",
        dynamic_name: str = "AMQ.*",
    ) -> None:
        super().__init__(
            name,
            manager_name=manager_name,
            exclusive=exclusive,
            selector=selector,
            open_options=open_options,
            alternate_user=alternate_user,
            dynamic_name=dynamic_name,
        )
        self._manager = manager
        self._opening = threading.Lock()  # so that threads that open a model queue make one dynamic queue, not several
        self._closed = False
        # What this object opened is closed by the next call of anyone once the object is gone
        self._finalizer = weakref.finalize(self, manager._orphans.append, self._serial)
        self._finalizer.atexit = False

    def __repr__(self) -> str:
        return f"<Queue {self._name} of {self._manager.name}{', closed' if self._closed else ''}>"

    # Putting

    def put(
        self,
        data: Data,
        *,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: Seconds | None = None,
        correlation_id: Identifier | None = None,
        message_id: Identifier | None = None,
        reply_to: str | Named | None = None,
        reply_to_manager: str = "",
        properties: Mapping[str, object] | None = None,
        format: str | None = None,
        message_type: int | None = None,
        report: int = 0,
        md: MQMD | None = None,
        pmo: MQPMO | None = None,
    ) -> bytes:
        """Put a message and return its message id (24 bytes).

        In a transaction the message is there for others, and on disk if it is persistent, after the commit. Outside, a
        persistent message is on disk when this returns, unless a get was waiting for it outside a transaction: then
        that get has it, and it is on no disk (docs/concepts.md, "From hand to hand"). If it raises, nothing was put;
        only if the connection is lost or the queue manager fails meanwhile (ConnectionBroken), it may be there or not.

        Interrupted by Ctrl-C, it may be there or not. A put without an answer (MQPMO_ASYNC_RESPONSE, or DEFPRESP(ASYNC)
        of the queue) returns over a network when it was sent, and MQSTAT tells what became of it.

        - `data`: bytes, or text, which goes as UTF-8 with format MQSTR.
        - `persistent`, `priority` (0 to 9): None takes the default of the queue (DEFPSIST, DEFPRTY).
        - `expiry`: seconds after which it may be discarded.
        - `correlation_id`, `message_id`: up to 24 bytes, or text of that length in UTF-8.
        - `reply_to`, `reply_to_manager`: the queue for replies and reports.
        - `properties`: a dict of bool, int, float, str, bytes or None; selectors choose by them.
        - `format`, `message_type`, `report`: as in the message descriptor (MQFMT_*, MQMT_*, MQRO_*).
        - `md`, `pmo`: an MQMD and an MQPMO to start from, for all else (groups, segments, context). They stay as they
          are; the raw verbs fill theirs.
        """
        given: PutOptions = {}
        if persistent is not None:
            given["persistent"] = persistent
        if priority is not None:
            given["priority"] = priority
        if expiry is not None:
            given["expiry"] = expiry
        if correlation_id is not None:
            given["correlation_id"] = correlation_id
        if message_id is not None:
            given["message_id"] = message_id
        if reply_to is not None:
            given["reply_to"] = reply_to
        if format is not None:
            given["format"] = format
        if message_type is not None:
            given["message_type"] = message_type
        if properties is not None:
            given["properties"] = properties
        if md is not None:
            given["md"] = md
        if pmo is not None:
            given["pmo"] = pmo
        if reply_to_manager:
            given["reply_to_manager"] = reply_to_manager
        if report:
            given["report"] = report
        session, handle = self._opened(C.MQOO_OUTPUT)
        put = opt.this_put(handle.calls, self._name, data, given, syncpoint=session.syncpoint)
        return session.binding.put_message(
            handle.hobj, put.call, put.data, put.message_id, put.correlation_id, properties
        )  # fmt: skip

    def put_many(self, messages: Iterable[Data], **options: Unpack[PutOptions]) -> list[bytes]:
        """Put messages in their order, all or none, and return their message ids. The rest is as for `put`.

        They go to the queue manager together, which over a network is many times faster than one after the other.
        Outside a transaction they are one of their own. In yours, if this raises, some of them may be part of it:
        back it out, and none are put.
        """
        messages = self._several(messages, "a list of messages")
        if options.get("properties"):
            raise bad_value(C.MQRC_PROPERTY_NOT_AVAILABLE, self._name, "properties go with `put`, message by message")
        session = self._usable_session()
        with nullcontext() if session.syncpoint else self._manager.transaction():
            session, handle = self._opened(C.MQOO_OUTPUT)
            puts, message_id, correlation_id = opt.these_puts(
                handle.calls, self._name, messages, options, syncpoint=True
            )
            if not puts:
                return []
            return session.binding.put_messages(handle.hobj, puts, message_id, correlation_id)

    def put_group(self, messages: Iterable[Data], **options: Unpack[PutOptions]) -> bytes:
        """Put messages as a group, all or none, and return the group id. They stay together and in this order."""
        messages = self._several(messages, "a group is a list of messages")
        if not messages:
            raise bad_value(C.MQRC_INCOMPLETE_GROUP, self._name, "a group has at least one message")
        session = self._usable_session()
        with nullcontext() if session.syncpoint else self._manager.transaction():
            hobj = self._open(session, C.MQOO_OUTPUT)
            try:
                group_id = b""
                for index, data in enumerate(messages):
                    md = opt.descriptor(options.get("md"), self._name)
                    last = index == len(messages) - 1
                    md.MsgFlags |= C.MQMF_LAST_MSG_IN_GROUP if last else C.MQMF_MSG_IN_GROUP
                    pmo = MQPMO(Version=C.MQPMO_VERSION_3, Options=_IN_A_GROUP)
                    own: PutOptions = {**options, "md": md, "pmo": pmo}
                    md, pmo, payload = opt.for_put(self._name, data, own, syncpoint=True)
                    session.put(hobj, md, pmo, payload, options.get("properties"))
                    group_id = md.GroupId
            finally:
                session.close_quietly(hobj)
        return group_id

    # Getting

    def get(
        self,
        wait: Seconds | None = None,
        *,
        message_id: Identifier | None = None,
        correlation_id: Identifier | None = None,
        group_id: Identifier | None = None,
        convert: bool | int = False,
        max_length: int | None = None,
        truncate: bool = False,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
    ) -> Message:
        """Get the next message, or the next with these ids, and take it off the queue.

        In a transaction it comes back if the transaction is backed out. Outside, it is gone when this returns, and if
        it came from hand to hand (see `put`) it was never on disk.

        Interrupted while it waits (Ctrl-C, or the queue closed by another thread), either you get the message or it
        stays on the queue.

        - `wait`: seconds to wait for one; None (or 0) does not wait, float("inf") waits for ever.
          NoMessageAvailable if there is none by then.
        - `message_id`, `correlation_id`, `group_id`: only a message with these.
        - `convert`: True has the data converted to UTF-8 and the byte order of this machine, a number to that CCSID.
          `Message.text` needs no conversion.
        - `max_length`: TruncatedMessage for a longer one, which stays on the queue; with `truncate` it is taken, and
          cut.
        - `md`, `gmo`: an MQMD and an MQGMO to start from, for all else. They stay as they are; what the get filled is
          in the message.
        """
        if max_length is not None:
            opt.buffer_length(max_length, self._name)
        match: Match = {"message_id": message_id, "correlation_id": correlation_id, "group_id": group_id}
        session, handle = self._opened(C.MQOO_INPUT_AS_Q_DEF)
        get = opt.this_get(
            handle.calls,
            self._name,
            options=C.MQGMO_ACCEPT_TRUNCATED_MSG if truncate else 0,
            syncpoint=session.syncpoint,
            wait=wait,
            match=match,
            convert=convert,
            max_length=max_length,
            md=md,
            gmo=gmo,
        )
        came = session.binding.get_message(handle.hobj, *get)
        return Message(came if not came.reason else opt.checked(came, max_length), self._manager)

    def get_many(
        self,
        count: int,
        wait: Seconds | None = None,
        *,
        convert: bool | int = False,
        gmo: MQGMO | None = None,
        **match: Unpack[Match],
    ) -> list[Message]:
        """Get up to `count` messages in one go: as many as there are, at least one. The wait is for the first.

        NoMessageAvailable if there is none. Over a network this is many times faster than one get after the other,
        and no more come along once they have some 16 MB together. In a transaction all of them come back if it is
        backed out; outside, all of them are gone when this returns.

        Interrupted by Ctrl-C over a network after the first has come, it breaks the connection: in a transaction
        nothing is lost.
        """
        self._check_count(count)
        session, handle = self._opened(C.MQOO_INPUT_AS_Q_DEF)
        call, message_id, correlation_id = opt.this_get(
            handle.calls, self._name, syncpoint=session.syncpoint, wait=wait, match=match, convert=convert, gmo=gmo
        )
        manager = self._manager
        found = session.binding.get_messages(handle.hobj, call, count, message_id, correlation_id)
        return [Message(came, manager) for came in found]

    def get_or_none(
        self, wait: Seconds | None = None, *, convert: bool | int = False, **match: Unpack[Match]
    ) -> Message | None:
        """Like `get`, with None instead of NoMessageAvailable."""
        try:
            return self.get(wait, convert=convert, **match)
        except NoMessageAvailable:
            return None

    def get_group(self, wait: Seconds | None = None, *, group_id: Identifier | None = None) -> list[Message]:
        """Get the messages of a group, in their order, once the group is complete; all or none.

        A message that is in no group comes alone. NoMessageAvailable if there is nothing, or nothing complete.
        """
        session = self._usable_session()
        with nullcontext() if session.syncpoint else self._manager.transaction():
            hobj = self._open(session, C.MQOO_INPUT_AS_Q_DEF)
            calls: dict[Hashable, object] = {}
            try:
                messages: list[Message] = []
                while True:
                    get = opt.this_get(
                        calls,
                        self._name,
                        options=C.MQGMO_LOGICAL_ORDER | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_FAIL_IF_QUIESCING,
                        syncpoint=True,
                        wait=None if messages else wait,
                        match={} if messages else {"group_id": group_id},
                        convert=False,
                    )
                    message = Message(opt.checked(session.binding.get_message(hobj, *get), None), self._manager)
                    messages.append(message)
                    if message.gmo.GroupStatus != C.MQGS_MSG_IN_GROUP:
                        return messages
            finally:
                session.close_quietly(hobj)

    def iterate(
        self, wait: Seconds | None = None, *, convert: bool | int = False, **match: Unpack[Match]
    ) -> Iterator[Message]:
        """Get one message after the other until none is there, or none came for `wait` seconds.

        A message is taken when the loop asks for it, not before: leaving the loop loses nothing.
        """
        while (message := self.get_or_none(wait, convert=convert, **match)) is not None:
            yield message

    def __iter__(self) -> Iterator[Message]:
        return self.iterate()

    # Looking without taking

    def browse(
        self,
        wait: Seconds | None = None,
        *,
        lock: bool = False,
        mark: bool = False,
        take: bool = False,
        convert: bool | int = False,
        **match: Unpack[Match],
    ) -> Browser:
        """Look at the messages in order and leave them where they are.

        The result is an iterator with a cursor of its own, and a context manager that closes it.

        - `wait`: seconds to wait for more at the end.
        - `lock`: the message under the cursor cannot be got by others.
        - `mark`: skip what cooperating browsers have seen, and mark what this one sees (MQGMO_MARK_BROWSE_CO_OP).
        - `take`: `Browser.take` may get the message under the cursor.

        Each message is that of the moment in which it is asked for. Over a network it is many times faster if the queue
        was made with `open_options=MQOO_READ_AHEAD`: messages then come a hundred at a time, so some may be gone, and
        new ones before them missed. Not with `lock`, `mark` or `take`.
        """
        return Browser(self, wait, match, lock=lock, mark=mark, take=take, convert=convert)

    @property
    def depth(self) -> int:
        """How many messages are on the queue, those put and not yet committed included, as in MQ."""
        depth = self.inquire(C.MQIA_CURRENT_Q_DEPTH)[0]
        assert isinstance(depth, int)
        return depth

    def inquire(self, *what: int | str) -> list[int | str]:
        """MQINQ: the values of attributes in the order asked for, each by MQSC keyword or selector (MQIA_*, MQCA_*)."""
        selectors = [self._selector_of(name) for name in what]
        session, handle = self._opened(C.MQOO_INQUIRE)
        return session.binding.inquire(handle.hobj, selectors)[0]

    def set(self, **attributes: int | str) -> None:
        """MQSET: change attributes that applications may change: `get="disabled"`."""
        values = self._values_to_set(attributes)
        session, handle = self._opened(C.MQOO_SET)
        session.binding.set(handle.hobj, values)

    def statistics(self) -> QueueStatistics:
        """Depth and open counts at this moment. The handles of this Queue object count too."""
        values = self.inquire(
            C.MQIA_CURRENT_Q_DEPTH, C.MQIA_MAX_Q_DEPTH, C.MQIA_OPEN_INPUT_COUNT, C.MQIA_OPEN_OUTPUT_COUNT
        )
        depth, depth_max, inputs, outputs = (int(value) for value in values)
        return QueueStatistics(depth, depth_max, inputs, outputs)

    # Requests

    def request(self, data: Data, *, wait: Seconds | None = float("inf"), **options: Unpack[PutOptions]) -> Message:
        """Put a request and wait for its reply.

        Without `reply_to` a temporary queue is made for the reply; it takes no persistent messages, so the request is
        not persistent then. NoMessageAvailable if no reply came in time; a later one is not waited for any more.
        """
        session = self._usable_session()
        if session.syncpoint:
            raise mq_error(
                C.MQRC_UOW_IN_PROGRESS,
                self._name,
                "a request in a transaction is seen by nobody before the commit, so no reply can come; put it before",
            )
        options = {**options, "message_type": C.MQMT_REQUEST}
        reply_to = options.get("reply_to")
        if reply_to is not None:
            name = reply_to if isinstance(reply_to, str) else getattr(reply_to, "name", None)
            if name is None:
                raise wrong_type(C.MQRC_MISSING_REPLY_TO_Q, self._name, f"reply_to is a queue, not {reply_to!r}")
            with self._manager.queue(name) as replies:
                return replies.get(wait, correlation_id=self.put(data, **options))
        if options.get("persistent"):
            raise bad_value(
                C.MQRC_PERSISTENT_NOT_ALLOWED,
                self._name,
                "the reply to a persistent request is persistent, and a temporary queue takes none; give reply_to",
            )
        with self._manager.dynamic_queue(REPLY_MODEL) as replies:
            options["reply_to"], options["persistent"] = replies.name, False
            return replies.get(wait, correlation_id=self.put(data, **options))

    def consume(
        self,
        callback: Callable[[Message], object],
        *,
        transaction: bool = True,
        on_error: Callable[[BaseException, Message], object] | None = None,
        start: bool = True,
        convert: bool | int = False,
        **match: Unpack[Match],
    ) -> Consumer:
        """Have a function called with every message, in a thread of its own.

        Each call is a transaction: what the function puts belongs to it. It is committed when the function returns.
        If the function raises, the message goes back to the queue, and the consumer stops: `Consumer.error` has the
        exception, `wait` and the end of a `with` raise it. With `on_error` that function is called instead, after the
        backout, and the consumer goes on; the message comes again with its `backout_count` raised.
        With `transaction=False` a message is gone when the function is called.
        """
        return Consumer(
            self, callback, transaction=transaction, on_error=on_error, start=start, convert=convert, match=match
        )

    # Handles

    def handle(self, mode: str) -> int:
        """The hobj of this thread, for the raw verbs in `QueueManager.mqi`: mode is input, output, browse, ..."""
        return self._opened(self._mode(mode))[1].hobj

    def _usable_session(self) -> Session:
        if self._closed:
            raise mq_error(C.MQRC_HOBJ_ERROR, self._name, "this Queue object was closed; make a new one")
        return self._manager._session()

    def _opened(self, mode: int) -> tuple[Session, Handle]:
        session = self._usable_session()
        found = session.handles.get((self._serial, mode))
        if found is None:
            hobj = self._open(session, mode)
            found = session.handles[self._serial, mode] = Handle(hobj, self._name, {})
        return session, found

    def _open(self, session: Session, mode: int, *, more: int = 0) -> int:
        """Open the queue for this session. A model queue makes a dynamic one, and this object stands for that."""
        od, options = self._to_open(mode, more)
        with self._opening:
            od.ObjectName = self._name
            hobj = session.binding.open(od, options)
            self._name = od.ObjectName
        return hobj

    def close(self) -> None:
        """Close what all threads have open through this object; their waiting gets end with HandleError."""
        if not self._closed:
            self._closed = True
            self._finalizer.detach()
            self._manager._close_handles(self._serial)

    def __enter__(self) -> Queue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
