"""What administration, channels and the server ask a queue manager besides its verbs: all that they see of its state.

Nobody outside kernel and host touches `core`. Here are the few questions that are really asked: the definitions, who is
connected, the clock, the log and how far it goes, what somebody may do, what is kept of channels, and the events that
only those outside can tell of. What changes anything is a verb: `manager` has those of the MQI,
`manager_administration` those of commands, `units.channel_batches` those of message channels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial

from libremq.common.clock import Clock
from libremq.common.configuration import TuningSettings
from libremq.common.files.file_layer import Files
from libremq.common.files.folder_lock import FolderLock
from libremq.kernel.authority import authority_records, object_authority
from libremq.kernel.events import channel_events, command_events, configuration_events, queue_manager_events
from libremq.kernel.objects.definitions import Definitions
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.recovery.restart import Say
from libremq.kernel.state.connection import Connection
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.units import channel_batches, channel_state_changes
from libremq.kernel.verb_calls import VerbCalls, verb
from libremq.kernel.verbs import connection_status
from libremq.kernel.verbs.connection_status import ConnectionStatus, HandleStatus
from libremq.kernel.verbs.queue_status import QueueStatus, queue_status
from libremq.log import Log, SlotFile


class Authority:
    """May somebody do something, and who is it? What is refused is told: in the error log, and as an event."""

    def __init__(self, core: Core) -> None:
        self.allows = partial(object_authority.allowed, core)
        self.check = partial(object_authority.check_command, core)
        self.groups_of = partial(object_authority.groups_of, core)
        self.issuer_of = partial(object_authority.issuer_of, core)
        self.sender_of = partial(object_authority.sender_of, core)
        self.records = partial(authority_records.select_records, core)
        self.of_entity = partial(authority_records.entity_authority, core)
        self._state = core.authorities

    def begin_serving(self, owner: str) -> None:
        """In a server the owner of the process is an administrator, and of others the name alone says what they may."""
        self._state.administrators |= {owner}
        self._state.trusting = False

    def is_administrator(self, user: str) -> bool:
        """Is it a member of mqm, the owner of the server, or named in AdminUsers of qm.ini?"""
        return self._state.is_administrator(user, self._state.entities.groups_of(user))


class Events:
    """What happens outside the kernel and is told as an event message, if anybody wants to hear of it."""

    def __init__(self, core: Core) -> None:
        self.channel = partial(channel_events.channel_event, core)
        self.command = partial(command_events.command_event, core)
        self.refresh_objects = partial(configuration_events.refresh_objects, core)
        self.not_authorized = partial(queue_manager_events.not_authorized, core)
        self.on_behalf_of = core.events.on_behalf_of


class ChannelRecords:
    """What is kept of message channels, also over a restart: the last batches, those in doubt, what is stopped."""

    def __init__(self, core: Core) -> None:
        self.in_doubt = partial(channel_batches.in_doubt, core)
        self.check_certain = partial(channel_batches.check_certain, core)
        self.messages_of = partial(channel_batches.messages_of, core)
        self.sync_of = partial(channel_batches.sync_of, core)
        self.syncs_of = partial(channel_batches.syncs_of, core)
        self.state_of = partial(channel_state_changes.state_of, core)


class Questions(VerbCalls):
    """A queue manager that can be asked."""

    def __init__(
        self, core: Core, lock: FolderLock, checkpoint_file: SlotFile, say: Say, tuning: TuningSettings | None = None
    ) -> None:
        super().__init__(core, lock, checkpoint_file, say, tuning)
        self.definitions: Definitions = core.catalogue
        self.connections: Mapping[int, Connection] = core.connections
        self.units: Mapping[int, UnitOfWork] = core.units
        self.clock: Clock = core.clock
        self.log: Log = core.log
        self.files: Files = core.files
        self.authority = Authority(core)
        self.events = Events(core)
        self.channel_records = ChannelRecords(core)

    # Status

    @verb
    def queue_status(self, definition: LocalQueue) -> QueueStatus:
        """DISPLAY QSTATUS."""
        return queue_status(self.core, definition)

    def available_on(self, definition: LocalQueue) -> int:
        """How many messages of a queue can be got. Looks, and does nothing that is due, as a verb would."""
        return len(self.core.local_queue(definition).store.chains)

    def handles_of_queue(self, name: str) -> list[HandleStatus]:
        """DISPLAY QSTATUS TYPE(HANDLE)."""
        return connection_status.handles_of_queue(self.core, name)

    def connection_statuses(self) -> Iterator[tuple[ConnectionStatus, list[HandleStatus]]]:
        """DISPLAY CONN: every connection with what it has open, each as it is when its turn comes."""
        return connection_status.connections(self.core)

    @property
    def quiescing(self) -> bool:
        return self.core.quiescing

    @property
    def started(self) -> float:
        """When, in seconds since 1970."""
        clock = self.core.clock
        return clock.now() - (clock.monotonic() - self.core.started)

    def figures(self) -> dict[str, int | float | str]:
        """What a failure report says of it. Asked without the lock, which somebody may hold for good."""
        core = self.core
        return {
            "connections": len(core.connections),
            "units of work": len(core.units),
            "log operations": core.logged_operations,
            **{f"log {name}": value for name, value in asdict(core.log.statistics()).items()},
        }

    # How far it has come

    @property
    def last_lsn(self) -> int:
        """The position of all that was logged until now: what tells of the state as it is depends on it."""
        return self.core.log.tail - 1

    @property
    def durable_lsn(self) -> int:
        return self.core.log.durable

    def new_id(self) -> bytes:
        """An identifier that nobody else has: for a message, or a batch."""
        return self.core.identifiers.next_id()

    @property
    def definitions_version(self) -> int:
        """Counts every change of a definition: who has worked something out from them looks whether it still holds."""
        return self.core.definitions_version

    @property
    def folder(self) -> str:
        """Where its data is."""
        return self.core.folder
