"""Planted bugs in what is logged in parts: long messages, from their first part to a restart."""

from __future__ import annotations

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
