"""The dead-letter queue handler: applies a rules table to the messages of a dead-letter queue.

Each message is looked at first, put where its rule says, and only then taken off the queue, all in one unit of work:
whatever happens in between, the message is in one place, never in two and never in none. A put that fails has changed
nothing, so a message that stays is as it was, its backout count too.

A rule is tried as often as RETRY says, with RETRYINT between; then the next rule that fits has its turn. A message that
no rule has dealt with stays, and is not looked at again before the handler is started anew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from libremq.client.options import wait_interval
from libremq.common.dead_letter_header import strip
from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, NoMessageAvailable, mq_error
from libremq.mqi.structs import MQDLH, MQGMO, MQMD, MQOD, MQPMO
from libremq.tools.dead_letter_rules import Rule, RulesTable

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.client.verbs import MQI

_DEAD = C.MQFMT_DEAD_LETTER_HEADER.strip()
_QUIESCING = (C.MQRC_Q_MGR_QUIESCING, C.MQRC_CONNECTION_QUIESCING)
_FATAL = (
    C.MQRC_CONNECTION_BROKEN, C.MQRC_Q_MGR_STOPPING, C.MQRC_CONNECTION_STOPPING, C.MQRC_Q_MGR_NOT_AVAILABLE,
    C.MQRC_HCONN_ERROR, C.MQRC_RESOURCE_PROBLEM, *_QUIESCING,
)  # fmt: skip
"""Errors of the connection, not of a rule."""
_GONE = (C.MQRC_NO_MSG_AVAILABLE, C.MQRC_NO_MSG_UNDER_CURSOR)
_LONGEST_WAIT_S = 3600.0

# Numbers of AMQ messages
_STARTED, _ENDING, _NO_HEADER, _NOT_PUT = 8708, 8709, 8721, 8722


@dataclass
class Outcome:
    """What became of the messages so far."""

    retried: int = 0
    forwarded: int = 0
    discarded: int = 0
    left: int = 0
    """Ignored, without a rule, without a header, or given up."""


@dataclass
class _Pending:
    """A message whose rule failed, and the rules that are still to be tried."""

    token: bytes
    rules: Iterator[Rule]
    rule: Rule
    attempts: int = 1
    due: float = 0.0


@dataclass
class _Looked:
    """A message as a browse shows it."""

    data: bytes
    md: MQMD
    token: bytes
    dlh: MQDLH = field(default_factory=MQDLH)
    rest: bytes = b""


class DeadLetterHandler:
    """Works on one dead-letter queue, in the thread that calls `run`. `clock` is for tests."""

    def __init__(
        self,
        manager: QueueManager,
        table: RulesTable,
        queue: str = "",
        *,
        say: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        name = queue or table.control.input_queue or str(manager.attributes["deadq"]).strip()
        if not name:
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, "DEADQ", "the queue manager has no dead-letter queue; name one")
        self.queue = name
        self.outcome = Outcome()
        self._manager = manager
        self._table = table
        self._say = say
        self._clock = clock
        self._pending: list[_Pending] = []
        self._stopping = threading.Event()
        self._mqi: MQI = manager.mqi
        self._hobj = 0
        self._hmsg = 0

    def run(self) -> Outcome:
        """Until nothing is left to do (as WAIT says), the queue manager quiesces, or `stop`. MQError if that fails."""
        mqi = self._mqi
        options = C.MQOO_BROWSE | C.MQOO_INPUT_SHARED | C.MQOO_SAVE_ALL_CONTEXT | C.MQOO_FAIL_IF_QUIESCING
        self._hobj = mqi.MQOPEN(MQOD(ObjectName=self.queue), options)
        self._hmsg = mqi.MQCRTMH()
        self._say(amq(_STARTED, self.queue))
        try:
            self._work()
        except MQError as error:
            if error.reason not in _QUIESCING and not self._stopping.is_set():
                raise
        finally:
            self._close()
        done = self.outcome
        done.left += len(self._pending)
        self._say(amq(_ENDING, done.retried, done.forwarded, done.discarded, done.left))
        return done

    def stop(self) -> None:
        """End `run`; a unit of work in hand is backed out, or done. From any thread."""
        self._stopping.set()
        try:
            self._mqi.MQCLOSE(self._hobj)  # a get that waits ends
        except MQError:
            pass

    def _close(self) -> None:
        for call in (lambda: self._mqi.MQDLTMH(self._hmsg), lambda: self._mqi.MQCLOSE(self._hobj)):
            try:
                call()
            except MQError:
                pass  # the connection is gone, and so are they

    def _work(self) -> None:
        quiet_since = self._clock()
        while not self._stopping.is_set():
            looked = self._look(C.MQGMO_BROWSE_NEXT, None)
            if looked is None:
                self._retry_due()
                now = self._clock()
                limit = self._table.control.wait_s - (now - quiet_since)
                if self._pending:
                    limit = max(0.0, min(one.due for one in self._pending) - now)
                elif limit <= 0:
                    return
                # From the front, as a message of higher priority may have come behind the cursor
                looked = self._look(C.MQGMO_BROWSE_FIRST, min(limit, _LONGEST_WAIT_S))
            if looked is not None:
                self._handle(looked)
                quiet_since = self._clock()

    # Looking

    def _look(self, direction: int, wait_s: float | None) -> _Looked | None:
        """The next message that was not looked at yet."""
        options = direction | C.MQGMO_UNMARKED_BROWSE_MSG | C.MQGMO_MARK_BROWSE_HANDLE
        gmo = MQGMO(Version=C.MQGMO_VERSION_4, Options=options, MatchOptions=C.MQMO_NONE)
        if wait_s is not None:
            gmo.Options |= C.MQGMO_WAIT
            gmo.WaitInterval = wait_interval(wait_s, self.queue)
        return self._browse(gmo)

    def _look_again(self, token: bytes) -> _Looked | None:
        """A message that was looked at before; None if somebody else has taken it."""
        first = MQGMO(Version=C.MQGMO_VERSION_4, Options=C.MQGMO_BROWSE_FIRST, MatchOptions=C.MQMO_MATCH_MSG_TOKEN)
        first.MsgToken = token
        return self._browse(first)

    def _browse(self, gmo: MQGMO) -> _Looked | None:
        md = MQMD(Version=C.MQMD_VERSION_2)
        gmo.Options |= C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_PROPERTIES_IN_HANDLE
        gmo.MsgHandle = self._hmsg
        try:
            got = self._mqi.MQGET(self._hobj, md, gmo)
        except NoMessageAvailable:
            return None
        return _Looked(got.data, md, gmo.MsgToken)

    # Doing

    def _handle(self, looked: _Looked) -> None:
        """A message that is seen for the first time."""
        if not self._read_header(looked):
            self.outcome.left += 1
            return
        rules = self._table.matching(looked.md, looked.dlh)
        rule = next(rules, None)
        if rule is None:
            self.outcome.left += 1
            return
        pending = _Pending(looked.token, rules, rule)
        if not self._apply(looked, pending):
            self._pending.append(pending)

    def _retry_due(self) -> None:
        now = self._clock()
        for pending in [one for one in self._pending if one.due <= now]:
            looked = self._look_again(pending.token)
            if looked is None or not self._read_header(looked) or self._apply(looked, pending):
                self._pending.remove(pending)

    def _apply(self, looked: _Looked, pending: _Pending) -> bool:
        """Apply the rule of the message, and the next ones when it has failed for good. False: try again later."""
        while True:
            rule = pending.rule
            if self._done(looked, rule):
                return True
            if pending.attempts < rule.attempts:
                pending.attempts += 1
                pending.due = self._clock() + self._table.control.retry_interval_s
                return False
            following = next(pending.rules, None)
            if following is None:
                self.outcome.left += 1
                return True
            pending.rule, pending.attempts = following, 1

    def _read_header(self, looked: _Looked) -> bool:
        md = looked.md
        try:
            if md.Format.strip() != _DEAD:
                raise mq_error(C.MQRC_DLH_ERROR, self.queue, f"its format is {md.Format.strip()!r}, not {_DEAD}")
            looked.dlh, looked.rest = strip(looked.data, md.CodedCharSetId, md.Encoding)
        except MQError as error:
            self._say(amq(_NO_HEADER, error.detail or error))
            return False
        return True

    def _done(self, looked: _Looked, rule: Rule) -> bool:
        """Do what a rule says; False if that did not work, and nothing has changed."""
        if rule.action == "IGNORE":
            self.outcome.left += 1
            return True
        try:
            if rule.action != "DISCARD":
                self._put(looked, rule)
        except MQError as error:
            self._mqi.MQBACK()
            if error.reason in _FATAL:
                raise
            queue = rule.destination(looked.md, looked.dlh)[0]
            self._say(amq(_NOT_PUT, rule.line, error.reason, queue, error.detail or error))
            return False
        if not self._take():
            self._mqi.MQBACK()
            return True  # somebody else was faster
        self._mqi.MQCMIT()
        if rule.action == "RETRY":
            self.outcome.retried += 1
        elif rule.action == "FWD":
            self.outcome.forwarded += 1
        else:
            self.outcome.discarded += 1
        return True

    def _put(self, looked: _Looked, rule: Rule) -> None:
        """In the unit of work. The message keeps its context, its ids and its properties.

        Whose context it is says the handle: what a channel has brought, and nobody has proven, stays that.
        """
        queue, manager = rule.destination(looked.md, looked.dlh)
        if not queue:
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, "", "the message names no queue for this rule")
        md, data = looked.md.copy(), looked.data
        if rule.action == "RETRY" or not rule.keep_header:
            dlh, data = looked.dlh, looked.rest
            md.Format, md.Encoding, md.CodedCharSetId = dlh.Format, dlh.Encoding, dlh.CodedCharSetId
        md.BackoutCount = 0
        pmo = MQPMO(
            Version=C.MQPMO_VERSION_3,
            Options=C.MQPMO_SYNCPOINT | C.MQPMO_SET_ALL_CONTEXT | C.MQPMO_FAIL_IF_QUIESCING,
            Context=self._hobj,
            OriginalMsgHandle=self._hmsg,
        )
        od = MQOD(ObjectName=queue, ObjectQMgrName=manager)
        if rule.as_context_user:
            pmo.Options |= C.MQPMO_ALTERNATE_USER_AUTHORITY
            od.AlternateUserId = looked.md.UserIdentifier
        self._mqi.MQPUT1(od, md, pmo, data)

    def _take(self) -> bool:
        """Take the message under the cursor off the queue, in the unit of work."""
        gmo = MQGMO(
            Version=C.MQGMO_VERSION_4,
            Options=C.MQGMO_MSG_UNDER_CURSOR
            | C.MQGMO_SYNCPOINT
            | C.MQGMO_ACCEPT_TRUNCATED_MSG
            | C.MQGMO_NO_PROPERTIES
            | C.MQGMO_FAIL_IF_QUIESCING,
            MatchOptions=C.MQMO_NONE,
        )
        try:
            self._mqi.MQGET(self._hobj, MQMD(Version=C.MQMD_VERSION_2), gmo, 0)
        except MQError as error:
            if error.reason in _GONE:
                return False
            self._mqi.MQBACK()
            raise
        return True
