"""Access to embedded queue managers: one per folder in a process, shared by all who connect, ended by the last.

The table of open queue managers lives here. Each `connect` counts one up, each `close` one down. What is still open
when the interpreter exits is ended in good order. A child made by fork begins with an empty table: what its parent has
open stays the parent's.
"""

from __future__ import annotations

import atexit
import os
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeVar, cast

from libremq.admin.command import Issuer, Outcome
from libremq.admin.mqsc_lines import CommandText, commands_in
from libremq.admin.mqsc_session import Answer, begin_command, fill
from libremq.admin.python_commands import python_command
from libremq.admin.steps import LOOKED_AT, Steps
from libremq.common.configuration import TuningSettings
from libremq.common.files.file_layer import Files
from libremq.common.operating_system import in_child_after_fork
from libremq.host import lifecycle
from libremq.host.binding import AttributeValue
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.host.giving_way import give_way
from libremq.host.statistics_snapshot import QueueManagerStatistics
from libremq.kernel.authority import object_authority
from libremq.kernel.authority.authority_records import type_of
from libremq.kernel.objects.attributes import GivenValue, Kind, Source
from libremq.kernel.objects.object_types import MQObject
from libremq.kernel.recovery import inspection, media_recovery
from libremq.kernel.recovery.inspection import DecidedUnit, ObjectFiles, UnitInDoubt
from libremq.kernel.recovery.restart import Say
from libremq.kernel.state import media_image
from libremq.kernel.state.failure_reasons import as_mq_error
from libremq.kernel.state.media_image import MediaResult
from libremq.log import ExtentState, Finding, Log, LogConfig, LogError, LogFailed, findings
from libremq.log.management import Archiver
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.security.authorities import bit
from libremq.store.queue_store import StoreLimits

_T = TypeVar("_T")
OWNER = Issuer()
"""Who has the queue manager in his own process may do everything with it."""


@dataclass
class _Shared:
    embedded: EmbeddedQueueManager
    users: int = 1


_table: dict[str, _Shared] = {}  # by real path of the folder
_guard = threading.RLock()


def attach(
    folder: str,
    name: str,
    *,
    create: bool = False,
    checked_user: str | None = None,
    log_config: LogConfig | None = None,
    log_folder: str = "",
    tuning: TuningSettings | None = None,
    limits: StoreLimits | None = None,
    say: Say | None = None,
    files: Files | None = None,
) -> EmbeddedAccess:
    """The queue manager in the folder, started if this process has not started it yet.

    With a `checked_user` everything done through this access needs the authorities that this user has. `files` are
    those of the machine in some other way, for whoever starts it.
    """
    key = os.path.realpath(folder)
    with _guard:
        shared = _table.get(key)
        if shared is None:
            embedded = EmbeddedQueueManager.start(
                folder,
                name,
                create=create,
                files=files,
                log_config=log_config,
                log_folder=log_folder,
                tuning=tuning,
                limits=limits,
                say=say,
            )
            embedded.serve_commands(trusting=True)
            _table[key] = _Shared(embedded)
            return EmbeddedAccess(embedded, folder, key, checked_user)
        embedded = shared.embedded
        if embedded.name != name:
            raise mq_error(C.MQRC_Q_MGR_NAME_ERROR, name, f"{folder} holds queue manager {embedded.name}")
        if embedded.manager.failure is not None:
            raise mq_error(
                C.MQRC_Q_MGR_NOT_AVAILABLE,
                name,
                f"it failed ({embedded.manager.failure}); close all connections to it, then connect again",
            )
        shared.users += 1
        return EmbeddedAccess(embedded, folder, key, checked_user)


def _detach(key: str, embedded: EmbeddedQueueManager) -> None:
    with _guard:
        shared = _table.get(key)
        if shared is None or shared.embedded is not embedded:
            return
        shared.users -= 1
        if shared.users == 0:
            del _table[key]
            embedded.end()


@atexit.register
def _end_all() -> None:
    with _guard:
        while _table:
            _, shared = _table.popitem()
            try:
                shared.embedded.end()
            except Exception:
                traceback.print_exc()  # and on to the next one


def _after_fork_in_child() -> None:
    global _guard
    _guard = threading.RLock()
    _table.clear()


in_child_after_fork(_after_fork_in_child)


class EmbeddedAccess:
    """One user of an embedded queue manager. Without a key it is the only one, and ends it with `close`."""

    def __init__(
        self, embedded: EmbeddedQueueManager, folder: str, key: str = "", checked_user: str | None = None
    ) -> None:
        self.embedded = embedded
        self._checked_user = checked_user
        self.folder = folder
        self._key = key
        self._closed = False

    @property
    def name(self) -> str:
        return self.embedded.name

    def connect(self, user: str, application: str) -> EmbeddedConnection:
        if self._checked_user is None:
            return EmbeddedConnection(self.embedded, user, application)
        with self.embedded.locked():
            issuer = self._issuer(None)
        return EmbeddedConnection(self.embedded, issuer.user, application, privileged=issuer.privileged)

    def _issuer(self, issuer: Issuer | None) -> Issuer:
        """Who gives a command: whoever the server says, or the user of this access."""
        if issuer is not None:
            return issuer
        if self._checked_user is None:
            return OWNER
        core, user = self.embedded.manager.core, self._checked_user
        groups = object_authority.groups_of(core, user)
        return Issuer(user, groups, object_authority.is_administrator(core, user, groups))

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._key:
            _detach(self._key, self.embedded)
        else:
            self.embedded.end()

    # Commands

    def mqsc(self, text: str, issuer: Issuer | None = None) -> list[Answer]:
        """Run the commands of a text; what they changed is on disk on return."""
        answers: list[Answer] = []
        for given in commands_in(text):
            if given.text or given.problem:
                answers.append(self._run(given, issuer))
        self.embedded.force(max((answer.lsn for answer in answers), default=0))
        return answers

    def _run(self, given: CommandText, issuer: Issuer | None) -> Answer:
        embedded = self.embedded

        def begin() -> Steps[tuple[Answer, Outcome | None]]:
            return (yield from begin_command(embedded.executor, given, self._issuer(issuer)))

        answer, outcome = embedded.run_steps(begin())
        if outcome is not None and outcome.pending is not None:
            embedded.await_outcome(outcome.pending)
            outcome = outcome.pending.value
        if outcome is not None:
            for _ in fill(answer, outcome):  # without the lock, and yet a thread that computes is in everybody's way
                give_way()
        return answer

    def _perform(
        self,
        verb: str,
        kind: str,
        name: str,
        attributes: Mapping[str, GivenValue],
        issuer: Issuer | None,
        **options: GivenValue,
    ) -> list[str]:
        """Do it; what is said besides."""
        command = python_command(verb, kind, name, attributes, options)
        with self.embedded.locked():
            outcome = self.embedded.executor.perform(command, self._issuer(issuer))
        self.embedded.force(outcome.lsn)
        return [message.line for message in outcome.warnings]

    def define(
        self,
        kind: str,
        name: str,
        attributes: Mapping[str, GivenValue],
        *,
        like: str | None,
        replace: bool,
        issuer: Issuer | None = None,
    ) -> list[str]:
        options: dict[str, GivenValue] = {"REPLACE": "REPLACE" if replace else "NOREPLACE"}
        if like is not None:
            options["LIKE"] = like
        return self._perform("DEFINE", kind, name, attributes, issuer, **options)

    def alter(
        self, kind: str, name: str, attributes: Mapping[str, GivenValue], *, issuer: Issuer | None = None
    ) -> list[str]:
        return self._perform("ALTER", kind, name, attributes, issuer)

    def delete(self, kind: str, name: str, *, purge: bool, issuer: Issuer | None = None) -> None:
        self._perform("DELETE", kind, name, {}, issuer, **({"PURGE": "PURGE"} if purge else {}))

    def clear(self, name: str, *, issuer: Issuer | None = None) -> None:
        self._perform("CLEAR", "QLOCAL", name, {}, issuer)

    def checkpoint(self) -> None:
        self.embedded.checkpoint()

    def _look_at(
        self, kind: str, pattern: str, issuer: Issuer | None, show: Callable[[MQObject], _T]
    ) -> Steps[list[_T]]:
        """What there is to show of the objects that are meant, and that the issuer may see."""
        core, issuer = self.embedded.manager.core, self._issuer(issuer)
        shown: list[_T] = []
        for number, selected in enumerate(core.catalogue.select(kind, pattern), 1):
            found = core.catalogue.find(selected.kind, selected.name)  # it may be gone by now, or be a new one
            if found is not None and object_authority.allowed(
                core, issuer, type_of(found), found.name, bit(C.MQAUTH_DISPLAY)
            ):
                shown.append(show(found))
            if number % LOOKED_AT == 0:
                yield
        return shown

    def display(self, kind: str, pattern: str, *, issuer: Issuer | None = None) -> list[dict[str, AttributeValue]]:
        return self.embedded.run_steps(self._look_at(kind, pattern, issuer, self._shown))

    def names(self, kind: str, pattern: str, *, issuer: Issuer | None = None) -> list[str]:
        return self.embedded.run_steps(self._look_at(kind, pattern, issuer, attrgetter("name")))

    def _shown(self, found: MQObject) -> dict[str, AttributeValue]:
        live = self.embedded.manager.live_values(found)
        shown: dict[str, AttributeValue] = {}
        for row in found.table:
            if row.secret:
                continue
            if row.source is Source.LIVE:
                shown[row.keyword.lower()] = live.get(row.selector, 0)
                continue
            value = getattr(found, row.slot)
            if row.kind is Kind.ENUM:
                value = row.word(value)
            elif row.kind is Kind.ENUM_LIST:
                value = tuple(row.word(item) for item in value)
            shown[row.keyword.lower()] = cast(AttributeValue, row.shown(value))
        return shown

    def statistics(self) -> QueueManagerStatistics:
        with self.embedded.locked():
            core = self.embedded.manager.core
            return QueueManagerStatistics(
                connections=sum(one.application_type != C.MQAT_QMGR for one in core.connections.values()),
                queues_defined=len(core.catalogue.queues),
                queues_in_memory=len(core.queues),
                messages=sum(queue.store.depth for queue in core.queues.values()),
                units_of_work=len(core.active_units()),
                units_in_doubt=len(core.prepared_units()),
                waiting_gets=len(core.waiters),
                log=core.log.statistics(),
            )

    # The log

    def _linear_log(self) -> Log:
        """The log, after a check that its extents are kept."""
        log = self.embedded.manager.core.log
        if not log.config.linear:
            raise mq_error(
                C.MQRC_ENVIRONMENT_ERROR, self.name, "its log is circular: extents are used again, none is left over"
            )
        return log

    def log_findings(self) -> list[Finding]:
        with self.embedded.locked():
            core = self.embedded.manager.core
            return findings(core.log.statistics(), puts_outside_syncpoint=core.puts_outside_syncpoint)

    def log_extents(self) -> list[ExtentState]:
        with self.embedded.locked():
            return self.embedded.manager.core.log.extents()

    def archive_log(self, to: Archiver) -> list[str]:
        with self.embedded.locked():
            log = self._linear_log()
            if isinstance(to, str) and os.path.realpath(to) in map(
                os.path.realpath, filter(None, (log.folder, log.config.second_folder))
            ):
                raise mq_error(C.MQRC_OPTIONS_ERROR, self.name, f"{to} is the folder of the log; archive elsewhere")
        try:
            return log.archive(to)  # without the lock: copying takes long, and nobody writes to these extents
        except LogFailed as error:
            with self.embedded.lock:
                self.embedded.manager.fail(str(error))
            raise as_mq_error(error, self.name) from error
        except (LogError, OSError) as error:
            raise mq_error(C.MQRC_RESOURCE_PROBLEM, self.name, f"not all extents were archived: {error}") from error

    def mark_log_archived(self, name: str) -> None:
        with self.embedded.locked():
            log = self._linear_log()
            known = {extent.name: extent.state for extent in log.extents()}
            if known.get(name) not in ("media", "unneeded"):
                what = "it is still written to, or will be" if name in known else "there is no such extent"
                raise mq_error(C.MQRC_OPTIONS_ERROR, self.name, f"{name[:64]} cannot have been archived: {what}")
            log.mark_archived(name)

    def delete_log_extents(self) -> list[str]:
        def delete(lock: AbstractContextManager[object]) -> list[str]:
            with lock:
                log = self._linear_log()
                media_image.await_checkpoint(self.embedded.manager)  # which may delete some itself
                return log.delete_extents()

        return self.embedded.run_command(delete)

    # Media recovery and backups

    def record_images(self, type_name: str, pattern: str) -> list[MediaResult]:
        manager = self.embedded.manager
        return self.embedded.run_command(lambda lock: media_image.record_images(manager, type_name, pattern, lock))

    def recover_objects(self, type_name: str, pattern: str) -> list[MediaResult]:
        manager = self.embedded.manager
        return self.embedded.run_command(lambda lock: media_recovery.recover_objects(manager, type_name, pattern, lock))

    def units_in_doubt(self) -> list[UnitInDoubt]:
        with self.embedded.locked():
            return inspection.units_in_doubt(self.embedded.manager.core)

    def decided_units(self) -> list[DecidedUnit]:
        with self.embedded.locked():
            found = self.embedded.manager.heuristic_outcomes()
            return [DecidedUnit(one.tran, one.xid, one.is_committed) for one in found]

    def resolve_unit(self, xid: str, *, commit: bool) -> None:
        self.embedded.admin(lambda: self.embedded.manager.resolve_unit(bytes.fromhex(xid), commit=commit))

    def forget_unit(self, xid: str) -> None:
        self.embedded.admin(lambda: self.embedded.manager.forget_unit(bytes.fromhex(xid)))

    def object_files(self, type_name: str, pattern: str) -> list[ObjectFiles]:
        with self.embedded.locked():
            return inspection.object_files(self.embedded.manager.core, type_name, pattern)

    def copy_to_backup(self, target: str, log_folder: str) -> None:
        manager = self.embedded.manager

        def copy(lock: AbstractContextManager[object]) -> None:
            with lock:
                media_image.await_checkpoint(manager)
                lifecycle.copy_to_backup(manager, target, log_folder=log_folder)

        self.embedded.run_command(copy)
