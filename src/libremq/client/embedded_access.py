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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from libremq.client.binding import AttributeValue
from libremq.client.embedded import EmbeddedQueueManager
from libremq.client.embedded_connection import EmbeddedConnection
from libremq.client.statistics import QueueManagerStatistics
from libremq.kernel.attributes import GivenValue, Kind, Source
from libremq.kernel.objects import MQObject
from libremq.kernel.restart import Say
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.queue_store import StoreLimits


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
    log_config: LogConfig | None = None,
    limits: StoreLimits | None = None,
    say: Say | None = None,
) -> EmbeddedAccess:
    """The queue manager in the folder, started if this process has not started it yet."""
    key = os.path.realpath(folder)
    with _guard:
        shared = _table.get(key)
        if shared is None:
            embedded = EmbeddedQueueManager.start(
                folder, name, create=create, log_config=log_config, limits=limits, say=say
            )
            _table[key] = _Shared(embedded)
            return EmbeddedAccess(embedded, folder, key)
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
        return EmbeddedAccess(embedded, folder, key)


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


os.register_at_fork(after_in_child=_after_fork_in_child)


class EmbeddedAccess:
    """One user of an embedded queue manager. Without a key it is the only one, and ends it with `close`."""

    def __init__(self, embedded: EmbeddedQueueManager, folder: str, key: str = "") -> None:
        self.embedded = embedded
        self.folder = folder
        self._key = key
        self._closed = False

    @property
    def name(self) -> str:
        return self.embedded.name

    def connect(self, user: str, application: str) -> EmbeddedConnection:
        return EmbeddedConnection(self.embedded, user, application)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._key:
            _detach(self._key, self.embedded)
        else:
            self.embedded.end()

    # Commands

    def define(
        self, kind: str, name: str, attributes: Mapping[str, GivenValue], *, like: str | None, replace: bool
    ) -> None:
        manager = self.embedded.manager
        self.embedded.admin(lambda: manager.define(kind, name, attributes, like=like, replace=replace))

    def alter(self, kind: str, name: str, attributes: Mapping[str, GivenValue]) -> None:
        self.embedded.admin(lambda: self.embedded.manager.alter(kind, name, attributes))

    def delete(self, kind: str, name: str, *, purge: bool) -> None:
        self.embedded.admin(lambda: self.embedded.manager.delete(kind, name, purge=purge))

    def clear(self, name: str) -> None:
        self.embedded.admin(lambda: self.embedded.manager.clear(name))

    def checkpoint(self) -> None:
        with self.embedded.locked():
            self.embedded.manager.checkpoint()

    def display(self, kind: str, pattern: str) -> list[dict[str, AttributeValue]]:
        with self.embedded.locked():
            return [self._shown(found) for found in self.embedded.manager.core.catalogue.select(kind, pattern)]

    def names(self, kind: str, pattern: str) -> list[str]:
        with self.embedded.locked():
            return [found.name for found in self.embedded.manager.core.catalogue.select(kind, pattern)]

    def _shown(self, found: MQObject) -> dict[str, AttributeValue]:
        live = self.embedded.manager.live_values(found)
        shown: dict[str, AttributeValue] = {}
        for row in found.table:
            if row.source is Source.LIVE:
                shown[row.keyword.lower()] = live.get(row.selector, 0)
                continue
            value = getattr(found, row.slot)
            if row.kind is Kind.ENUM:
                value = row.word(value)
            elif row.kind is Kind.ENUM_LIST:
                value = tuple(row.word(item) for item in value)
            shown[row.keyword.lower()] = cast(AttributeValue, value)
        return shown

    def statistics(self) -> QueueManagerStatistics:
        with self.embedded.locked():
            core = self.embedded.manager.core
            return QueueManagerStatistics(
                connections=len(core.connections),
                queues_defined=len(core.catalogue.queues),
                queues_in_memory=len(core.queues),
                messages=sum(queue.store.depth for queue in core.queues.values()),
                units_of_work=len(core.active_units()),
                units_in_doubt=len(core.prepared_units()),
                waiting_gets=len(core.waiters),
                log=core.log.statistics(),
            )
