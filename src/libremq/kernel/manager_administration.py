"""The verbs of commands: definitions, authorities and rules made, changed, deleted; queues cleared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from libremq.common.configuration import TuningSettings
from libremq.common.files.folder_lock import FolderLock
from libremq.kernel.authority import authority_records, channel_authentication_records, object_authority
from libremq.kernel.events import configuration_events, performance_events
from libremq.kernel.manager_questions import Questions
from libremq.kernel.objects.attributes import GivenValue
from libremq.kernel.objects.object_types import Channel, ChannelState, KeyedRecord, LocalQueue, MQObject
from libremq.kernel.recovery import log_room
from libremq.kernel.recovery.automatic_images import AutomaticImages
from libremq.kernel.recovery.restart import Say
from libremq.kernel.state import media_image, object_changes
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import as_mq_error
from libremq.kernel.state.image_in_parts import is_recoverable
from libremq.kernel.verb_calls import verb
from libremq.kernel.verbs import consumers, getting, inquiry, triggers
from libremq.log import LogFull, SlotFile
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error


class Administration(Questions):
    """Commands on objects. Each returns the log position that its answer depends on."""

    def __init__(
        self, core: Core, lock: FolderLock, checkpoint_file: SlotFile, say: Say, tuning: TuningSettings | None = None
    ) -> None:
        super().__init__(core, lock, checkpoint_file, say, tuning)
        self.images = AutomaticImages(core, self.checkpoint_due)

    @verb
    def define(
        self,
        kind: str,
        name: str,
        attributes: Mapping[str, GivenValue],
        *,
        like: str | None = None,
        replace: bool = False,
    ) -> int:
        before = configuration_events.image(self.core, kind, name)
        lsn = object_changes.define(self.core, kind, name, attributes, like=like, replace=replace)
        self._changed(kind, name, attributes, before)
        return lsn

    @verb
    def alter(self, kind: str, name: str, attributes: Mapping[str, GivenValue]) -> int:
        before = configuration_events.image(self.core, kind, name)
        lsn = object_changes.alter(self.core, kind, name, attributes)
        self._changed(kind, name, attributes, before)
        return lsn

    def _changed(self, kind: str, name: str, attributes: Mapping[str, GivenValue], before: MQObject | None) -> None:
        obj = self.core.catalogue.find(kind, name)
        configuration_events.object_changed(self.core, before, obj)
        performance_events.definition_changed(self.core, obj, attributes)
        getting.cancel_inhibited(self.core, obj)
        consumers.definition_changed(self.core, obj)
        if any(keyword.upper() == "IMGRCOVQ" for keyword in attributes):
            self._recoverability_changed(obj)
        if isinstance(obj, LocalQueue) and obj.name in self.core.queues:
            queue = self.core.queues[obj.name]
            if triggers.concerns(attributes):
                triggers.attributes_changed(self.core, queue)
            self.available({queue: ()})

    def _recoverability_changed(self, obj: MQObject | None) -> None:
        """IMGRCOVQ: local queues that can be recovered from now on need an image for that."""
        if self.core.log.config.linear:
            changed = [obj] if isinstance(obj, LocalQueue) else self.core.catalogue.select("QLOCAL", "*")
            self.images.want(one for one in changed if is_recoverable(self.core, one))

    @verb
    def delete(self, kind: str, name: str, *, purge: bool = False, keep_authorities: bool = False) -> int:
        """DELETE. The authority records of exactly the name go too, unless they are to be kept: AUTHREC(NO)."""
        before = configuration_events.image(self.core, kind, name)

        def remove_records(obj: MQObject) -> None:
            # First, so that no moment leaves authorities for an object that may come again
            if not keep_authorities:
                object_authority.remove_records_of(self.core, object_authority.type_of(obj), obj.name)
            if isinstance(obj, Channel) and obj.kind != "CLNTCONN" and obj.name in self.core.catalogue.channel_states:
                object_changes.remove_record(self.core, ChannelState.kind, obj.name)

        lsn = object_changes.delete(self.core, kind, name, purge=purge, first=remove_records)
        configuration_events.object_changed(self.core, before, None)
        return lsn

    @verb
    def install_record(self, record: KeyedRecord) -> int:
        """SET AUTHREC and SET CHLAUTH: the record as a whole, new or in place of the one with its key."""
        before = configuration_events.image(self.core, record.kind, record.name)
        lsn = object_changes.install_record(self.core, record)
        configuration_events.object_changed(self.core, before, record)
        return lsn

    @verb
    def remove_record(self, kind: str, name: str) -> int:
        before = configuration_events.image(self.core, kind, name)
        lsn = object_changes.remove_record(self.core, kind, name)
        configuration_events.object_changed(self.core, before, None)
        return lsn

    # Security

    @verb
    def set_authority(
        self,
        profile: str,
        object_type: int,
        *,
        principals: Iterable[str] = (),
        groups: Iterable[str] = (),
        add: Sequence[int | str] = (),
        remove: Sequence[int | str] = (),
    ) -> int:
        """SET AUTHREC."""
        return authority_records.set_authority(
            self.core, profile, object_type, principals=principals, groups=groups, add=add, remove=remove
        )

    def delete_authority(
        self, profile: str, object_type: int, *, principals: Iterable[str] = (), groups: Iterable[str] = ()
    ) -> int:
        """DELETE AUTHREC: all of these records are there, or none is deleted."""
        found = authority_records.records_to_delete(
            self.core, profile, object_type, principals=principals, groups=groups
        )
        return max([self.remove_record(record.kind, record.name) for record in found], default=0)

    @verb
    def set_channel_authentication(
        self, profile: str, rule_type: int | str, attributes: Mapping[str, GivenValue], action: int
    ) -> int:
        """SET CHLAUTH; 0 if nothing had to be changed."""
        return channel_authentication_records.set_chlauth(self.core, profile, rule_type, attributes, action)

    def refresh_security(self) -> None:
        """REFRESH SECURITY: users, groups and records are looked at anew, also for those who are connected."""
        object_authority.refresh(self.core)

    # The log

    @verb
    def advance_log(self) -> int:
        """RESET QMGR TYPE(ADVANCELOG): the log goes on in the next extent. Nobody's work is rolled back for that."""
        core = self.core
        try:
            if not log_room.leaves_room(core, core.log.left_in_extent):
                media_image.await_checkpoint(self)
                log_room.pull_up(core)
                if log_room.frees_log(core):
                    self.take_checkpoint()
            if log_room.leaves_room(core, core.log.left_in_extent):
                return log_room.advance(core)
        except LogFull as error:
            raise as_mq_error(error, self.name) from error
        what = (
            "the log has no room for what is left of its extent: the oldest unit of work needs it from LSN "
            f"{core.log.head} on. Have that ended (DISPLAY CONN shows UOWLOGDA), and try again"
        )
        raise mq_error(C.MQRC_RESOURCE_PROBLEM, self.name, what)

    # Queues

    @verb
    def clear(self, name: str) -> int:
        """CLEAR QLOCAL: all messages gone; refused while the queue is open or has uncommitted messages."""
        obj = self.core.catalogue.find("QLOCAL", name)
        if not isinstance(obj, LocalQueue):
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, name, "no local queue of this name is defined")
        queue = self.core.local_queue(obj)
        if queue.open_handles:
            raise mq_error(C.MQRC_OBJECT_IN_USE, name, "it is open; end its users first")
        if object_changes.has_uncommitted(self.core, queue):
            raise mq_error(C.MQRC_Q_NOT_EMPTY, name, "messages on it belong to unfinished units of work")
        return object_changes.clear_queue(self.core, queue)

    @verb
    def reset_statistics(self, name: str) -> performance_events.QueueFigures:
        """RESET QSTATS: the figures of a local queue until now; they begin anew."""
        return performance_events.reset_queue_statistics(self.core, name)

    # What there is

    def find(self, kind: str, name: str) -> MQObject | None:
        return self.core.catalogue.find(kind, name)

    @verb
    def live_values(self, obj: MQObject) -> Mapping[int, int]:
        """What is counted for an object, by selector."""
        return inquiry.live_values(self.core, obj)

    @verb
    def depth(self, name: str) -> int:
        obj = self.core.catalogue.find("QLOCAL", name)
        if not isinstance(obj, LocalQueue):
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, name, "no local queue of this name is defined")
        return self.core.local_queue(obj).store.depth
