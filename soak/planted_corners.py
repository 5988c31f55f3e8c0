"""Planted bugs in corners: each was in nobody's way when it was planted for the first time."""

from __future__ import annotations

from soak.planted_bug import Bug

_TAKING = "kernel/verbs/taking.py"
_MOVING = "kernel/units/moving_messages.py"
_BATCHES = "kernel/units/channel_batches.py"
_DELIVERY = "channels/delivery.py"
_CREATION = "host/creation.py"
_USERS = "common/users_file.py"
_GROUPS_TESTS = "kernel/verbs/test_kernel_groups.py"
_MOVING_TESTS = "kernel/units/test_kernel_moving_messages.py"
_BATCHES_TESTS = "kernel/units/test_kernel_channel_batches.py"
_DELIVERY_TESTS = "channels/test_channels_delivery.py"
_CREATION_TESTS = "host/test_host_creation.py"

CORNERS = (
    Bug(
        "a group is over with the first segment of its last message", "kernel/verbs/groups.py",
        "not (last and ends_message)", "not last", _GROUPS_TESTS,
    ),
    Bug(
        "a backout leaves a group where the gets had come", _TAKING,
        "unit.get_groups[handle] = handle.get_group  # a", "pass  # a", _GROUPS_TESTS,
    ),
    Bug(
        "persistent segments are got beside a unit of work", _TAKING,
        "    if len(slots) > 1 and core.in_syncpoint(connection) and", "    if False and", _GROUPS_TESTS,
    ),
    Bug(
        "a locked message is taken under the cursor of another handle", _TAKING,
        "    if queue.locks.get(slot, handle) is not handle:", "    if False:", "kernel/verbs/test_kernel_taking.py",
    ),
    Bug(
        "a distribution list has one group for all", "kernel/verbs/distribution.py",
        "    if fields & C.MQPMRF_GROUP_ID:\n        md.GroupId = record.GroupId\n", "",
        "kernel/verbs/test_kernel_distribution.py",
    ),
    Bug(
        "MQSET does not end gets that wait", "kernel/verbs/inquiry.py", "    getting.cancel_inhibited(core, obj)\n", "",
        "kernel/verbs/test_kernel_inquiry.py",
    ),
    Bug(
        "MQSET of an alias is not heard by consumers", "kernel/verbs/inquiry.py",
        "    consumers.definition_changed(core, obj)\n", "", "kernel/verbs/test_kernel_inquiry.py",
    ),
    Bug(
        "MOVE QLOCAL makes messages live for ever", _MOVING, "bool(flags & PERSISTENT), expiry_ms, unit",
        "bool(flags & PERSISTENT), 0, unit", _MOVING_TESTS,
    ),
    Bug(
        "MOVE QLOCAL that is given up counts as a backout", _MOVING, "self._core.backout(self._unit, counted=False)",
        "self._core.backout(self._unit)", _MOVING_TESTS,
    ),
    Bug(
        "a service interval has begun before anybody watched", "kernel/events/performance_events.py",
        "max(since, core.events.service_base)", "since", "kernel/events/test_kernel_performance_events.py",
    ),
    Bug(
        "a reset channel forgets where its partner was", _BATCHES,
        """conname=conname or (before.conname if before is not None else ""),""", "conname=conname,", _BATCHES_TESTS,
    ),
    Bug(
        "a resolved channel forgets that its partner proves to be there", _BATCHES,
        "(before.conname, bool(before.fresh)) if", "(before.conname, False) if", _BATCHES_TESTS,
    ),
    Bug(
        "BATCHLIM counts megabytes", "channels/sender.py", "batch.bytes >= limit * 1000",
        "batch.bytes >= limit * 1000000", "channels/test_channels_agent.py",
    ),
    Bug(
        "contexts mean the same in every character set", _DELIVERY, "            self._contexts.clear()\n\n    def",
        "\n    def", _DELIVERY_TESTS,
    ),
    Bug(
        "a segment that comes alone may be longer than agreed", "wire/segments.py",
        "if length == len(data) <= self.max_segment and", "if length == len(data) and", "wire/test_wire_segments.py",
    ),
    Bug(
        "a message in the place of another one is handed out", "store/spilling.py",
        "    if (crc32(message_id), crc32(correlation_id)) != hashes:", "    if False:",
        "store/test_store_misreads.py",
    ),
    Bug(
        "what is logged once more keeps its old numbers", "kernel/recovery/log_room.py",
        "[one._replace(lsn=next(numbers)) if one.lsn else one", "[one if one.lsn else one",
        "kernel/recovery/test_kernel_log_room.py",
    ),
    Bug(
        "a secondary extent goes as soon as it is free", "log/ring.py", "current - self._stretched_at < files", "False",
        "log/test_log_ring.py",
    ),
    Bug(
        "what a stopped handler was to try again is not counted", "tools/dead_letter_handler.py",
        "        done.left += len(self._pending)\n", "", "tools/test_tools_dead_letter_handler.py",
    ),
    Bug(
        "a new password takes a user out of its groups", _USERS,
        "made._replace(groups=users[user].groups if user in users else ())", "made", "common/test_common_users_file.py",
    ),
    Bug(
        "two make the same queue manager at once", _CREATION, "    lock = lock_folder(files, folder, name)\n",
        "    lock = files.lock(f\"{folder}/another\")\n", _CREATION_TESTS,
    ),
    Bug(
        "a queue manager that was made and never opened has ended badly", _CREATION,
        """            files.remove(f"{folder}/{LOCK}")  # it""", "            pass  # it", _CREATION_TESTS,
    ),
)  # fmt: skip
