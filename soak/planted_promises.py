"""Planted bugs in what a queue manager promises: answers and the log, short ways, verbs, units of work, restarts."""

from __future__ import annotations

from soak.planted_bug import Bug

_CORE = "kernel/state/core.py"
_TAKING = "kernel/verbs/taking.py"
_PUT_FORMS = "kernel/verbs/put_forms.py"
_PLAIN_GETS = "kernel/verbs/plain_gets.py"
_CALL_BYTES = "wire/calls_alike.py"
_QUEUE_STATE = "kernel/state/queue_state.py"
_UNDO = "kernel/state/undo.py"
_XA = "kernel/units/xa_branches.py"
_REPLAY = "kernel/recovery/replay.py"
_NETTING = "kernel/recovery/netting.py"
_CHECKPOINT = "kernel/recovery/checkpoint.py"
_EXPIRY = "kernel/verbs/expiry.py"
_EMBEDDED = "host/embedded.py"
_EMBEDDED_TESTS = "host/test_host_embedded.py"
_ACCESS_TESTS = "host/test_host_embedded_access.py"
_CLIENT_LINK = "server/net/client_link.py"
_MESSAGE_LINK = "server/net/message_link.py"
_GETTING_TESTS = "kernel/verbs/test_kernel_getting.py"
_PUT_FORMS_TESTS = "kernel/verbs/test_kernel_put_forms.py"
_PLAIN_GETS_TESTS = "kernel/verbs/test_kernel_plain_gets.py"
_KNOWN_CALLS_TESTS = "server/net/test_server_known_calls.py"
_EXPIRY_TESTS = "kernel/verbs/test_kernel_expiry.py"
_CORE_TESTS = "kernel/state/test_kernel_core.py"
_QUEUE_STATE_TESTS = "kernel/state/test_kernel_queue_state.py"
_XA_TESTS = "kernel/units/test_kernel_xa_branches.py"
_RESTART_TESTS = "kernel/recovery/test_kernel_restart.py"
_CHECKPOINT_TESTS = "kernel/recovery/test_kernel_checkpoint.py"
_DELIVERY_TESTS = "channels/test_channels_delivery.py"

# What an answer waits for

DURABILITY = (
    Bug(
        "a get or browse does not wait for the put that it sees", _TAKING,
        "got.lsn = taken if taken > visible else visible", "got.lsn = taken", _GETTING_TESTS,
    ),
    Bug(
        "a plain get does not wait for the put that it sees", _PLAIN_GETS,
        "    if taken and queue.visible_lsn > position:\n        position = queue.visible_lsn",
        "    if taken and queue.visible_lsn > position:\n        pass", _PLAIN_GETS_TESTS,
    ),
    Bug(
        "a commit does not move the visible position", _CORE,
        "            if lsn:\n                queue.visible_lsn = lsn\n            slots = ",
        "            slots = ", _GETTING_TESTS,
    ),
    Bug(
        "a put outside syncpoint does not move the visible position", _CORE,
        "                queue.visible_lsn = lsn\n                self.puts_outside",
        "                self.puts_outside", _GETTING_TESTS,
    ),
    Bug(
        "a get outside syncpoint does not wait for its own record", _CORE, "return 0 if unit else lsn", "return 0",
        _GETTING_TESTS,
    ),
    Bug(
        "no answer waits for its record", "kernel/verb_calls.py", "if lsn > connection.lsn or before:", "if before:",
        "kernel/test_kernel_verb_calls.py",
    ),
    Bug(
        "a call in this process does not wait for the log", _EMBEDDED,
        "        self.force(lsn)\n        return result\n\n    def admin", "        return result\n\n    def admin",
        _EMBEDDED_TESTS,
    ),
    Bug(
        "a get in this process does not wait for the log", _EMBEDDED,
        "            lsn = connection.lsn\n        self.force(lsn)\n", "", _EMBEDDED_TESTS,
    ),
    Bug(
        "a command in this process does not wait for the log", _EMBEDDED,
        "            lsn = verb()\n        self.force(lsn)\n", "            verb()\n", _EMBEDDED_TESTS,
    ),
    Bug(
        "a consumer in this process does not wait for the log", "host/embedded_connection.py",
        "            lsn = connection.lsn\n        self._embedded.force(lsn)\n", "", _EMBEDDED_TESTS,
    ),
    Bug(
        "MQSC in this process does not wait for the log", "host/embedded_access.py",
        "        self.embedded.force(max((answer.lsn for answer in answers), default=0))\n", "", _ACCESS_TESTS,
    ),
    Bug(
        "DEFINE and others in this process do not wait for the log", "host/embedded_access.py",
        "        self.embedded.force(outcome.lsn)\n", "", _ACCESS_TESTS,
    ),
    Bug(
        "an answer over a socket does not wait for the log", _CLIENT_LINK,
        "if self._held or lsn >= replies.log.durable:", "if self._held:", "server/net/test_server_client_link.py",
    ),
    Bug(
        "messages of a batch do not wait for the log", "server/net/deliveries.py",
        "link.send(whole, conversation.connection.lsn)", "link.send(whole)", "server/net/test_server_client_link.py",
    ),
    Bug(
        "what a channel says over a socket does not wait for the log", _MESSAGE_LINK,
        "        if self._held or lsn >= log.durable:\n", "        if self._held:\n",
        "server/net/test_server_message_link.py",
    ),
)  # fmt: skip

# Short ways

SHORT_WAYS = (
    Bug(
        "a repeated put ignores altered definitions, PUT(DISABLED) among them", _PUT_FORMS,
        "            plan.closed_because(core, self._options)\n            or ", "            ", _PUT_FORMS_TESTS,
    ),
    Bug(
        "MQSET of a temporary queue does not count as altered", "kernel/state/object_changes.py",
        "    core.definitions_version += 1\n    if isinstance(obj, LocalQueue) and obj.is_temporary:",
        "    if isinstance(obj, LocalQueue) and obj.is_temporary:", _PUT_FORMS_TESTS,
    ),
    Bug(
        "a repeated put ignores MAXDEPTH", _PUT_FORMS,
        "            or plan.no_room_because(len(data), len(properties))\n", "", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a repeated put ignores MAXUMSGS", _PUT_FORMS, "limited=APPLICATION.is_limited", "limited=False",
        _PUT_FORMS_TESTS,
    ),
    Bug(
        "a repeated put does not count itself", _PUT_FORMS, "            unit.message_count += 1\n", "",
        _PUT_FORMS_TESTS,
    ),
    Bug(
        "a repeated put counts itself twice", _PUT_FORMS, "unit.message_count += 1", "unit.message_count += 2",
        _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a repeated put forgets what a backout restores of a group", _PUT_FORMS,
        "unit.put_groups[handle] = {}  # a", "pass  # a", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a repeated put stores the alias of a reply queue", _PUT_FORMS,
        "        or isinstance(core.catalogue.find_queue(md.ReplyToQ), RemoteQueue)  # stored is what the alias stands "
        "for\n", "", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a repeated put passes a getter by that waits", _PUT_FORMS, "if unit is None and queue.waiters and",
        "if False and", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a repeated put ignores MAXPROPL", _PUT_FORMS,
        "            or (properties and core.catalogue.qmgr.maxpropl != C.MQPROP_UNRESTRICTED_LENGTH)\n", "",
        _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a repeated put takes any bytes for properties", "server/net/known_calls.py",
        "if properties and not is_stored_form(properties):", "if False:", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "properties of a repeated put are not weighed", _PUT_FORMS,
        "                message.weight += len(properties)\n", "", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "puts that differ behind their ids are taken for each other", _CALL_BYTES,
        "            or not data.startswith(self.behind, start + IDS_END + before)\n", "", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a plain get by id gets one that has expired", _PLAIN_GETS,
        " or store.handles.expiry_ms[slot]:", ":", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a plain get by id gets one that another has locked", _PLAIN_GETS,
        "or queue.locks or", "or", _PLAIN_GETS_TESTS,
    ),
    Bug(
        "a plain get by id takes a hash for the id", _PLAIN_GETS, "if by_message and its_id != message_id:",
        "if False:", _PLAIN_GETS_TESTS,
    ),
    Bug(
        "a plain get by two ids looks at one", _PLAIN_GETS,
        "return slot if correlation_id in (_ANY_ID, its_correlation_id) else NONE", "return slot", _PLAIN_GETS_TESTS,
    ),
    Bug(
        "a plain get hands properties to one who wants them in another form", "server/net/known_calls.py",
        "like.has_handle and bool(gmo.Options & C.MQGMO_PROPERTIES_IN_HANDLE)", "True", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "MQSTAT does not hear of repeated puts", _PUT_FORMS,
        "            connection.async_puts.successes += 1\n", "            pass\n", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a put that failed by the queue's default answer is known as one that went well",
        "server/net/put_calls.py", "turns is None and _async_troubles(conversation) == troubles", "turns is None",
        _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "puts are alike whatever follows their ids", _CALL_BYTES,
        "if until > end or not data.startswith(back, offset + IDS_END):", "if until > end:", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a known put may be longer than its channel carries", _CALL_BYTES, "if length > length_max:", "if False:",
        _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a known call overtakes those that wait for a get", "server/net/conversation.py",
        "return self.hconn != 0 and not (self._busy or self.get_flow or self.batch or self._backlog)",
        "return self.hconn != 0", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "calls of a closed handle stay known", "server/net/object_calls.py",
        "    conversation.link.known_calls.forget()\n", "", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a plain get ignores GET(DISABLED)", _PLAIN_GETS, "        or get_inhibited(handle, queue)\n", "",
        _PLAIN_GETS_TESTS,
    ),
    Bug(
        "a plain get ignores reports", _PLAIN_GETS, "& reports.COD_MASK)", "& 0)", _PLAIN_GETS_TESTS,
    ),
    Bug(
        "a plain get ignores expiry", _PLAIN_GETS, "if expires := store.handles.expiry_ms[slot]:", "if expires := 0:",
        _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a plain get ignores how often its message was backed out", _PLAIN_GETS,
        "if count := store.backout_count(slot):", "if count := 0:", _PLAIN_GETS_TESTS,
    ),
    Bug(
        "a plain get that cannot be ends as if the queue manager had", _PLAIN_GETS,
        "        pass  # what was taken is on its way; an", "        raise  # an", _KNOWN_CALLS_TESTS,
    ),
    Bug(
        "a channel puts to where a name led before definitions were altered", "channels/target_queues.py",
        "if target.plan.version == self._manager.definitions_version and not", "if not", _DELIVERY_TESTS,
    ),
    Bug(
        "the short way of a channel's puts ignores altered definitions", "kernel/verbs/channel_messages.py",
        "if connection.is_lost or plan.closed_because(core, C.MQPMO_NONE) or", "if connection.is_lost or",
        _DELIVERY_TESTS,
    ),
)  # fmt: skip

# Verbs and queues

VERBS = (
    Bug("an expiry scan takes browse-locked messages", _EXPIRY, " and slot not in queue.locks:", ":", _EXPIRY_TESTS),
    Bug("a scan discards one moment late", _EXPIRY, "<= now_ms and flags", "< now_ms and flags", _EXPIRY_TESTS),
    Bug("what a scan discards is not counted", _EXPIRY, "                    self.count += 1\n", "", _EXPIRY_TESTS),
    Bug(
        "the rest of an expiry is told in seconds", "kernel/messages/time_to_live.py", "// 100, put_with",
        "// 1000, put_with", _EXPIRY_TESTS,
    ),
    Bug(
        "a cursor stays on a message that has gone", _QUEUE_STATE, "                    cursor.slot = before\n", "",
        _QUEUE_STATE_TESTS,
    ),
    Bug(
        "a message goes and stays locked", _QUEUE_STATE,
        "        if self.locks:\n            self.release_lock(slot)\n", "", _QUEUE_STATE_TESTS,
    ),
    Bug(
        "a token means whatever is in the slot by now", _QUEUE_STATE,
        """\
        return _TOKEN.pack(self.store.handles.sequence[slot], slot, self.id)

    def slot_of_token(self, token: bytes) -> int:
        sequence, slot, queue_id = _TOKEN.unpack(token)
        handles = self.store.handles
        if queue_id == self.id and slot < len(handles) and handles.sequence[slot] == sequence""",
        """\
        return _TOKEN.pack(1, slot, self.id)

    def slot_of_token(self, token: bytes) -> int:
        sequence, slot, queue_id = _TOKEN.unpack(token)
        handles = self.store.handles
        if queue_id == self.id and slot < len(handles) and sequence""",
        _QUEUE_STATE_TESTS,
    ),
    Bug(
        "MSGDLVSQ(FIFO) goes by priority", _QUEUE_STATE, "            return self.definition.defprty",
        "            return priority", _QUEUE_STATE_TESTS,
    ),
    Bug(
        "a browse shows again what came back to its place", _QUEUE_STATE,
        "if handles.sequence[slot] > cursor.sequence:", "if handles.sequence[slot] >= cursor.sequence:",
        _QUEUE_STATE_TESTS,
    ),
)  # fmt: skip

# Units of work

UNITS = (
    Bug(
        "a backout raises no count", _UNDO, "store.backout_count(slot) + counted if", "store.backout_count(slot) if",
        _CORE_TESTS,
    ),
    Bug(
        "nobody hears that messages came back", _CORE, "        if returned:\n            self.on_return(returned)\n",
        "", _CORE_TESTS,
    ),
    Bug(
        "a backout undoes its first operation again and again", _UNDO, "kind, queue, slot, lsn = unit.operations[-1]",
        "kind, queue, slot, lsn = unit.operations[mark]", _CORE_TESTS,
    ),
    Bug(
        "what is undone still has its room in the log", _UNDO, "        core.undo_bytes -= journal.UNDO_BYTES\n", "",
        _CORE_TESTS,
    ),
    Bug(
        "a put is not in its unit of work", _CORE,
        "            unit.operations.append(Operation(PUT, queue, slot, lsn))\n", "", _CORE_TESTS,
    ),
    Bug(
        "a put in a unit of work is not logged", _CORE, "        if persistent and queue.recoverable:",
        "        if persistent and queue.recoverable and not unit:", _CORE_TESTS,
    ),
    Bug(
        "a get in a unit of work is not logged", _CORE,
        "lsn = self.log.append(R.GET, unit.id, unit.last_lsn, parts, keep=self.keep_for(unit))", "pass", _CORE_TESTS,
    ),
    Bug(
        "a commit is not logged", _CORE, "lsn = self.log.append(R.COMMIT, unit.id, unit.last_lsn, (), reserve=True)",
        "pass", _CORE_TESTS,
    ),
    Bug(
        "an ended unit of work keeps its room in the log", _CORE, "        self.undo_bytes -= unit.undo_bytes\n", "",
        _CORE_TESTS,
    ),
    Bug(
        "a put that the log has no room for leaves its message", _CORE,
        "            except LogFull:\n                store.remove(slot)\n                raise",
        "            except LogFull:\n                raise", _CORE_TESTS,
    ),
    Bug(
        "half a verb stays in the unit of work", _CORE, "undo.undo_behind(self, own, mark, False, {})", "pass",
        _CORE_TESTS,
    ),
    Bug(
        "half a verb stays counted", _CORE, "                own.message_count = count\n", "", _CORE_TESTS,
    ),
    Bug("a prepared unit of work is not kept", _CORE, "        unit.state = PREPARED\n", "", _CORE_TESTS),
    Bug(
        "a unit of work that is half undone takes more", _CORE, "            return C.MQRC_BACKED_OUT\n",
        "            return C.MQRC_NONE\n", "kernel/messages/test_kernel_put_plan.py",
    ),
    Bug(
        "prepare of a branch does not wait for the log", _XA, "return self._core.prepare(unit, xid)",
        "return 0 * self._core.prepare(unit, xid)", _XA_TESTS,
    ),
    Bug(
        "commit of a branch does not wait for the log", _XA, "        return self._core.commit(unit)\n",
        "        return 0 * self._core.commit(unit)\n", _XA_TESTS,
    ),
    Bug(
        "a branch that is not prepared is committed", _XA, "if unit.state != PREPARED and not one_phase:", "if False:",
        _XA_TESTS,
    ),
    Bug("a branch is prepared twice", _XA, "if unit.state == PREPARED:", "if False:", _XA_TESTS),
    Bug("an XID may be longer than any", _XA, "if not 0 < len(xid) <= XID_BYTES_MAX:", "if not xid:", _XA_TESTS),
    Bug(
        "two connections are in a branch", _XA, "if unit.state != ACTIVE or unit.is_in_use:",
        "if unit.state != ACTIVE:", _XA_TESTS,
    ),
    Bug(
        "a branch in doubt is joined", _XA, "if unit.state != ACTIVE or unit.is_in_use:", "if unit.is_in_use:",
        _XA_TESTS,
    ),
    Bug(
        "a branch is prepared before its end", _XA, "        if unit.is_in_use:\n", "        if False:\n", _XA_TESTS,
    ),
    Bug(
        "a connection ends another branch than its own", _XA,
        "if connection.xa_unit is None or connection.xa_unit.xid != xid:", "if connection.xa_unit is None:", _XA_TESTS,
    ),
    Bug(
        "a batch does not wait for its prepare", "kernel/units/channel_batches.py",
        "lsn = core.prepare(unit, identity.xid)", "lsn = 0 * core.prepare(unit, identity.xid)",
        "kernel/units/test_kernel_channel_batches.py",
    ),
)  # fmt: skip

# Restarts

RECOVERY = (
    Bug(
        "replay forgets that a unit of work is prepared", _REPLAY,
        "unit.xid, unit.owner, unit.state = prepared.xid, prepared.owner, PREPARED",
        "unit.xid, unit.owner = prepared.xid, prepared.owner", _RESTART_TESTS,
    ),
    Bug(
        "replay forgets when a message expires", _NETTING, "put.expiry_ms, max(unit, 0)", "0, max(unit, 0)",
        _RESTART_TESTS,
    ),
    Bug(
        "replay numbers messages anew", _NETTING, "slot=slot, sequence=sequence", "slot=slot",
        _RESTART_TESTS,
    ),
    Bug(
        "replay forgets the backout count", _REPLAY,
        "_undo(net, operation, undo.backout_count if undo.sequence else None)", "_undo(net, operation, 0)",
        _RESTART_TESTS,
    ),
    Bug(
        "what was undone before a crash is undone again", _REPLAY, "return operations.pop(at)",
        "return operations[at]", _RESTART_TESTS,
    ),
    Bug(
        "what was undone before a checkpoint is undone again", _REPLAY, "if lsn in self.undone:", "if False:",
        _RESTART_TESTS,
    ),
    Bug(
        "messages leave a queue together before a checkpoint that has begun has captured it", "store/queue_store.py",
        "self.before_change()  # a checkpoint captures: what is in flight and what has changed is another then\n",
        "pass\n", "store/test_store_spilling.py",
    ),
    Bug(
        "a checkpoint does not force the log first", _CHECKPOINT, "        core.log.force(self._state.redo)\n", "",
        _CHECKPOINT_TESTS,
    ),
    Bug(
        "a checkpoint gives up the log of unfinished units of work", _CHECKPOINT,
        "self.head = min([redo, *(one.first_lsn for one in self._state.transactions.values())])", "self.head = redo",
        _CHECKPOINT_TESTS,
    ),
    Bug(
        "a checkpoint forgets definitions", _CHECKPOINT, "            if core.catalogue_changed:\n",
        "            if False:\n", _CHECKPOINT_TESTS,
    ),
    Bug(
        "a checkpoint is named before its record is on disk", _CHECKPOINT, "        log.force(self.lsn)\n", "",
        _CHECKPOINT_TESTS,
    ),
    Bug(
        "an orderly end keeps what NPMCLASS(NORMAL) does not", _CHECKPOINT, "self._clean and high", "self._clean",
        _RESTART_TESTS,
    ),
    Bug(
        "a queue with uncommitted messages is unloaded", _CHECKPOINT, "queue.deleted or queue in busy or",
        "queue.deleted or", _RESTART_TESTS,
    ),
)  # fmt: skip

PROMISES = (*DURABILITY, *SHORT_WAYS, *VERBS, *UNITS, *RECOVERY)
