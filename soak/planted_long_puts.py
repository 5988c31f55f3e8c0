"""Planted bugs in what is logged in parts: long messages, from their first part to a restart."""

from __future__ import annotations

from soak.planted_bug import Bug

_PARTS = "kernel/state/parts_of_puts.py"
_LONG_PUTS = "kernel/verbs/long_puts.py"
_PUTTING = "kernel/verbs/putting.py"
_RECORDS_TESTS = "kernel/recovery/test_kernel_long_put_records.py"
_TESTS = "kernel/verbs/test_kernel_long_puts.py"
_SERVER_TESTS = "server/net/test_server_long_puts.py"
_HOST_TESTS = "host/test_host_long_puts.py"
_MEDIA = "max(core.images_begun.get(queue.id, 0), core.media.get(_key(queue), 0))"
_REDO_PART = "    replay.unit(record.txn).logged(record.lsn)\n\n\ndef _redo_get"
_CONFIRM = "reports.confirm_arrival(core, message, queue, own, now, by)\n"

LONG_PUTS = (
    Bug(
        "a part of a long message is left out", _PARTS, "self.lsns.append(lsn)",
        "len(self.lsns) == 3 or self.lsns.append(lsn)", _TESTS, _RECORDS_TESTS,
    ),
    Bug(
        "a part is taken whichever it is", _PARTS, "if part.number != number or part.first", "if part.first",
        _RECORDS_TESTS,
    ),
    Bug(
        "a part is taken whosever it is", _PARTS, "!= RecordType.PUT_PART or record.txn != txn:",
        "!= RecordType.PUT_PART:", _RECORDS_TESTS,
    ),
    Bug(
        "the checksum of all parts is not looked at", _PARTS, "(length, checksum) != (named.length, named.checksum)",
        "length != named.length", _RECORDS_TESTS,
    ),
    Bug(
        "a put names parts from before the image of its queue", _PARTS,
        _MEDIA, "0", _RECORDS_TESTS,
    ),
    Bug(
        "a put names parts from before an image that is not complete", _PARTS,
        _MEDIA, "core.media.get(_key(queue), 0)", _TESTS,
    ),
    Bug(
        "a put names parts of a unit of work that is over", _PARTS,
        "            and core.units.get(unit.id) is unit\n", "", _TESTS, _RECORDS_TESTS,
    ),
    Bug(
        "a message of which a part is missing is put as if all were logged", _PUTTING,
        " and long_put.logged.is_complete", "", _TESTS,
    ),
    Bug(
        "the answer to a long put does not wait for its commit", _PUTTING,
        _CONFIRM + "        return own.end_lsn", _CONFIRM + "        return 0", _SERVER_TESTS,
    ),
    Bug(
        "parts that wait for their put do not keep their unit of work from moving", "kernel/recovery/log_room.py",
        " or unit.parts_under_way", "", _TESTS,
    ),
    Bug(
        "a backup forgets where a unit of work began of which it has parts only", "kernel/recovery/replay.py",
        _REDO_PART, "    replay.unit(record.txn)\n\n\ndef _redo_get", _HOST_TESTS,
    ),
    Bug(
        "a long put logs on however much is gathered", _LONG_PUTS, "if self._core.log.pressure and self.logged.lsns",
        "if False", _TESTS, _SERVER_TESTS,
    ),
    Bug(
        "a long put outlives its connection", "kernel/manager.py",
        "        long_puts.end_those_of(self.core, connection)\n", "", _TESTS,
    ),
    Bug(
        "a long put overtakes, or is overtaken by, the next calls of its conversation", "server/net/puts_in_turns.py",
        "        conversation.hold_up()\n", "", _SERVER_TESTS,
    ),
    Bug(
        "a refused long put leaves its unit of work", _LONG_PUTS, "                core.backout(unit)",
        "                pass", _TESTS,
    ),
)  # fmt: skip
