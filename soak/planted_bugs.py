"""Bugs that were made, or could be: each a text of a module, what stands there instead, and the tests that must notice.

They are the measure of the tests: whatever is done to make them shorter, none of these may get through. A row is one
exact text, which its module has once (`tests/test_soak_planted.py`): when the text changes, so does the row. Tests are
those of the room of the module, the first place where its author would look; several files if it needs several.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """One row."""

    name: str
    module: str  # in src/libremq
    old: str
    new: str
    tests: tuple[str, ...]  # files in tests

    def __init__(self, name: str, module: str, old: str, new: str, *tests: str) -> None:
        for field, value in (("name", name), ("module", module), ("old", old), ("new", new), ("tests", tests)):
            object.__setattr__(self, field, value)


_CORE, _GETTING, _REPEATS = "kernel/state/core.py", "kernel/verbs/getting.py", "kernel/verbs/repeats.py"
_QUEUE_STATE, _UNDO = "kernel/state/queue_state.py", "kernel/state/undo.py"
_XA, _REPLAY, _CHECKPOINT = "kernel/units/xa_branches.py", "kernel/recovery/replay.py", "kernel/recovery/checkpoint.py"
_CHLAUTH, _AUTHORITIES = "security/channel_authentication.py", "security/authorities.py"
_EXPIRY, _SEARCHING = "kernel/verbs/expiry.py", "kernel/verbs/searching.py"
_EMBEDDED, _EMBEDDED_TESTS = "host/embedded.py", "host/test_host_embedded.py"
_STRANGERS, _BUDGET = "server/net/strangers.py", "server/net/turn_budget.py"
_CLIENT_LINK, _MESSAGE_LINK = "server/net/client_link.py", "server/net/message_link.py"
_EVENT_LOOP, _OPEN_FILES = "server/net/event_loop.py", "common/files/open_files.py"

_GETTING_TESTS = "kernel/verbs/test_kernel_getting.py"
_REPEATS_TESTS = "kernel/verbs/test_kernel_repeats.py"
_EXPIRY_TESTS = "kernel/verbs/test_kernel_expiry.py"
_TAKING_TESTS = "kernel/verbs/test_kernel_taking.py"
_SEARCHING_TESTS = "kernel/verbs/test_kernel_searching.py"
_CORE_TESTS = "kernel/state/test_kernel_core.py"
_QUEUE_STATE_TESTS = "kernel/state/test_kernel_queue_state.py"
_XA_TESTS, _OWNERS_TESTS = "kernel/units/test_kernel_xa_branches.py", "kernel/units/test_kernel_xa_owners.py"
_RESTART_TESTS = "kernel/recovery/test_kernel_restart.py"
_CHECKPOINT_TESTS = "kernel/recovery/test_kernel_checkpoint.py"
_CHLAUTH_TESTS = "security/test_security_channel_authentication.py"
_DELIVERY_TESTS, _REPLAYS_TESTS = "channels/test_channels_delivery.py", "channels/test_channels_replays.py"
_BUDGET_TESTS = "server/net/test_server_turn_budget.py"
_UNPROVEN_TESTS = "channels/test_channels_unproven.py"

# What an answer waits for

DURABILITY = (
    Bug(
        "a get or browse does not wait for the put that it sees", _GETTING,
        "got.lsn = taken if taken > visible else visible", "got.lsn = taken", _GETTING_TESTS,
    ),
    Bug(
        "the short way of gets does not wait for the put that it sees", _REPEATS,
        "return (message, token), taken if taken > visible else visible", "return (message, token), taken",
        _REPEATS_TESTS,
    ),
    Bug(
        "a commit does not move the visible position", _CORE,
        "            if lsn:\n                queue.visible_lsn = lsn\n            if kind == PUT:",
        "            if kind == PUT:", _GETTING_TESTS,
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
        "a repeated put ignores altered definitions, PUT(DISABLED) among them", _REPEATS,
        "            or plan.closed_because(core, self._options)\n", "", _REPEATS_TESTS,
    ),
    Bug(
        "MQSET of a temporary queue does not count as altered", _CORE,
        "        self.definitions_version += 1\n        if isinstance(obj, LocalQueue) and obj.is_temporary:",
        "        if isinstance(obj, LocalQueue) and obj.is_temporary:", _REPEATS_TESTS,
    ),
    Bug(
        "a repeated put ignores MAXDEPTH", _REPEATS, "            or plan.no_room_because(len(data))\n", "",
        _REPEATS_TESTS,
    ),
    Bug(
        "a repeated put ignores MAXUMSGS", _REPEATS, "limited=APPLICATION.is_limited", "limited=False", _REPEATS_TESTS,
    ),
    Bug(
        "a repeated put does not count itself", _REPEATS,
        "        unit.message_count += 1\n        connection.async_puts", "        connection.async_puts",
        _REPEATS_TESTS,
    ),
    Bug(
        "a repeated put counts itself twice", _REPEATS,
        "        unit.message_count += 1\n        connection.async_puts",
        "        unit.message_count += 2\n        connection.async_puts", _REPEATS_TESTS,
    ),
    Bug(
        "the short way of gets ignores GET(DISABLED)", _REPEATS, "        or get_inhibited(handle, queue)\n", "",
        _REPEATS_TESTS,
    ),
    Bug(
        "the short way of gets ignores reports", _REPEATS, "        or md.Report & reports.COD_MASK\n", "",
        _REPEATS_TESTS,
    ),
    Bug(
        "the short way of gets ignores expiry", _REPEATS, "        or store.handles.expiry_ms[slot]\n", "",
        _REPEATS_TESTS,
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
        "two connections are in a branch", _XA,
        "any(other.xa_unit is unit for other in self._core.connections.values())", "False", _XA_TESTS,
    ),
    Bug("a branch in doubt is joined", _XA, "if unit.state != ACTIVE or any(", "if any(", _XA_TESTS),
    Bug(
        "a branch is prepared before its end", _XA,
        "if any(one.xa_unit is unit for one in self._core.connections.values()):", "if False:", _XA_TESTS,
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
    Bug("replay forgets when a message expires", _REPLAY, "put.expiry_ms, record.txn", "0, record.txn", _RESTART_TESTS),
    Bug(
        "replay numbers messages anew", _REPLAY, "slot=put.slot, sequence=put.sequence", "slot=put.slot",
        _RESTART_TESTS,
    ),
    Bug(
        "replay forgets the backout count", _REPLAY, "_undo(operation, undo.backout_count if undo.sequence else None)",
        "_undo(operation, 0)", _RESTART_TESTS,
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

# Who may

SECURITY = (
    Bug(
        "a rule that is to warn blocks", _CHLAUTH, "            if not rule.warn:\n                return Verdict",
        "            if True:\n                return Verdict", _CHLAUTH_TESTS,
    ),
    Bug("the least specific rule counts", _CHLAUTH, "key=precedence, reverse=True", "key=precedence", _CHLAUTH_TESTS),
    Bug(
        "*MQADMIN blocks nobody", _CHLAUTH, " or (privileged and ADMINISTRATORS in rule.userlist)", "", _CHLAUTH_TESTS,
    ),
    Bug(
        "a user of 13 characters escapes a rule", _CHLAUTH,
        "rule.clntuser in (facts.client_user, cut(facts.client_user))", "rule.clntuser == facts.client_user",
        _CHLAUTH_TESTS,
    ),
    Bug(
        "lists of users count for partners", _CHLAUTH,
        "return [rule for rule in rules if rule.type != C.MQCAUT_BLOCKUSER] if queue_manager else rules",
        "return rules", _CHLAUTH_TESTS,
    ),
    Bug(
        "ALL includes CREATE", _AUTHORITIES, "_mask(AUTHORITIES) & ~bit(C.MQAUTH_CREATE)", "_mask(AUTHORITIES)",
        "security/test_security_authorities.py",
    ),
    Bug(
        "names of queue managers have every authority", _AUTHORITIES, """ and object_type.word != "RQMNAME")""", ")",
        "security/test_security_authorities.py",
    ),
    Bug(
        "the alternate user is not checked", "kernel/authority/object_authority.py",
        "        subject = issuer_of(core, od.AlternateUserId)\n", "        return\n",
        "kernel/authority/test_kernel_object_authority.py",
    ),
)  # fmt: skip

# The store

STORE = (
    Bug(
        "a committed put is still counted as pending", "store/queue_store.py",
        "            if state & PUT_PENDING:\n                self.pending_puts -= 1\n            flags[slot]",
        "            flags[slot]", "store/test_store_queue_store.py",
    ),
    Bug(
        "a bad read is not read again", "store/store_errors.py", "READS = 3", "READS = 1",
        "store/test_store_misreads.py",
    ),
    Bug(
        "a piece of a batch is not checked when it is read again", "store/handle_file.py",
        "if len(piece) == size and zlib.crc32(piece) == checksum:", "if len(piece) == size:",
        "store/test_store_misreads.py",
    ),
    Bug(
        "MAXFSIZE is ignored", _CORE, "if megabytes == C.MQQFS_DEFAULT:", "if True:",
        "kernel/state/test_kernel_file_limit.py",
    ),
)  # fmt: skip

# What came when LibreMQ was tried to be broken

FAIRNESS = (
    Bug(
        "a search forgets what changed behind it", _SEARCHING,
        "            if self._start < place <= self._place:\n                heappush(self._again, (*place, slot))\n\n"
        "    def note_gone", "\n    def note_gone", _SEARCHING_TESTS,
    ),
    Bug(
        "a search does not hear of a lock that ends", _QUEUE_STATE,
        "            holder.locked.remove(slot)\n            if self.watchers:\n",
        "            holder.locked.remove(slot)\n            if False:\n", _SEARCHING_TESTS,
    ),
    Bug(
        "a search has no end of its slice", "kernel/state/turns.py", "SLICE = 2000", "SLICE = 1 << 60",
        _SEARCHING_TESTS,
    ),
    Bug(
        "a get discards all expired messages at once", "kernel/verbs/matching.py", "            left -= DISCARD\n", "",
        _SEARCHING_TESTS, _EXPIRY_TESTS,
    ),
    Bug(
        "a client's turn has no end of flows", _CLIENT_LINK, "self._reader.feed(data, FLOWS_A_TURN)",
        "self._reader.feed(data)", _BUDGET_TESTS,
    ),
    Bug(
        "a client's turn has no end of bytes", _CLIENT_LINK, "if room < 0 or (self._unsent", "if (self._unsent",
        _BUDGET_TESTS,
    ),
    Bug(
        "a client that has sent much is read from at once", _CLIENT_LINK,
        "if self._deferred or self._reader.has_more or len(data) >= BYTES_A_TURN:",
        "if self._deferred or self._reader.has_more:", _BUDGET_TESTS,
    ),
    Bug(
        "a partner's turn has no end of flows", _MESSAGE_LINK, "self._reader.feed(data, FLOWS_A_TURN)",
        "self._reader.feed(data)", _BUDGET_TESTS,
    ),
    Bug(
        "a partner's turn has no end of bytes", _MESSAGE_LINK, "if not left or room < 0:", "if not left:",
        _BUDGET_TESTS,
    ),
    Bug(
        "who has not logged in may send without end", _BUDGET,
        "        self._flows -= 1\n        self._bytes -= size\n", "", _BUDGET_TESTS,
    ),
)  # fmt: skip

DOORS = (
    Bug(
        "the address of a peer is asked for later", _EVENT_LOOP, """where = f"{peer[0]}({peer[1]})\"""",
        """\
try:
                    where = "%s(%d)" % accepted.getpeername()[:2]
                except OSError:
                    where = \"\"""",
        "server/net/test_server_peer_addresses.py",
    ),
    Bug(
        "a peer without an address is let in", _EVENT_LOOP, "if not network(host):", "if False:",
        "server/net/test_server_peer_addresses.py",
    ),
    Bug(
        "one address may have all sockets that wait for a log-in", _STRANGERS, "len(mine) >= self._per_address",
        "False", "server/net/test_server_strangers.py",
    ),
    Bug(
        "sockets that wait for a log-in have no limit", _STRANGERS, "if self._count < self._in_all:", "if True:",
        "server/net/test_server_strangers.py",
    ),
    Bug(
        "a flow may take for ever", "server/net/unfinished_flows.py",
        "return self._waited_s > limit_s + held / SLOWEST_BYTES_S", "return False",
        "server/net/test_server_unfinished_flows.py",
    ),
    Bug(
        "the owner of a branch is not checked", _XA,
        "return connection.privileged or (bool(owner) and connection.user == owner)", "return True", _OWNERS_TESTS,
    ),
    Bug(
        "the owner of a branch is not logged", _CORE,
        "        parts = journal.prepare_parts(xid, unit.owner)\n"
        "        flags = journal.PREPARED_BY_USER if unit.owner else 0\n",
        """        parts = journal.prepare_parts(xid, "")\n        flags = 0\n""", _OWNERS_TESTS,
    ),
    Bug(
        "a checkpoint forgets the owner of a branch", _CHECKPOINT, "unit.xid.hex(), unit.owner)", "unit.xid.hex())",
        _OWNERS_TESTS,
    ),
    Bug("a nonce is not checked", "channels/agent.py", "if other.heard != self._nonce:", "if False:", _REPLAYS_TESTS),
    Bug(
        "a sender does not check the nonce", "channels/sender.py", "self._check_fresh(other)", "pass", _REPLAYS_TESTS,
    ),
    Bug(
        "a receiver does not check the nonce", "channels/receiver.py",
        "        self._check_fresh(Resync.unpack(flow))\n", "", _REPLAYS_TESTS,
    ),
    Bug(
        "a passed-on context drops where the message came from", "kernel/messages/message_context.py",
        "return saved.saved_origin if pmo.Options & _PASSES else saved.read_origin", "return None",
        "kernel/messages/test_kernel_message_context.py",
    ),
    Bug(
        "a dead letter drops where the message came from", "kernel/messages/own_messages.py",
        "header_bytes(header, ccsid) + message.data, message.origin)", "header_bytes(header, ccsid) + message.data)",
        _UNPROVEN_TESTS,
    ),
    Bug(
        "a report drops where the message came from", "kernel/verbs/reports.py",
        "_data_for(md, data, feedback), origin)", "_data_for(md, data, feedback))", _UNPROVEN_TESTS,
    ),
    Bug(
        "the short way of a channel's puts drops where the message came from", "channels/delivery.py",
        """Message(md, b"", data[HEADER_BYTES:], origin)""", """Message(md, b"", data[HEADER_BYTES:])""",
        _UNPROVEN_TESTS,
    ),
    Bug(
        "an unproven partner gives commands", "kernel/authority/message_origin.py",
        "return _NOBODY if origin is not None and not origin.proven else sender_of",
        "return sender_of", _UNPROVEN_TESTS, "kernel/verbs/test_kernel_command_queue.py",
    ),
)  # fmt: skip

FAULTS = (
    Bug(
        "the answer is made after the message is taken", _GETTING,
        """\
    if pack is not None:
        got.reply = packed(pack, handle, queue, out_md, out_gmo, got)
    taken = 0
    if not failed:
        if browse:
            _stand_on(core, handle, queue, slots, options)
            if handle.has(C.MQOO_SAVE_ALL_CONTEXT):
                handle.read_origin = messages[0].origin
        else:
            taken = _remove(core, queue, slots, messages, unit)
""",
        """\
    taken = 0
    if not failed:
        if browse:
            _stand_on(core, handle, queue, slots, options)
            if handle.has(C.MQOO_SAVE_ALL_CONTEXT):
                handle.read_origin = messages[0].origin
        else:
            taken = _remove(core, queue, slots, messages, unit)
        if pack is not None:
            got.reply = packed(pack, handle, queue, out_md, out_gmo, got)
""",
        _TAKING_TESTS,
    ),
    Bug(
        "the short way of gets makes the answer after the message is taken", _REPEATS,
        "    before(message, token)\n    taken = core.take(queue, slot, unit)\n",
        "    taken = core.take(queue, slot, unit)\n    before(message, token)\n", _TAKING_TESTS,
    ),
    Bug(
        "more is left of an expiry than there was", "kernel/messages/time_to_live.py",
        "min((expires - int(now * 1000)) // 100, put_with)", "(expires - int(now * 1000)) // 100", _TAKING_TESTS,
        _EXPIRY_TESTS,
    ),
    Bug(
        "a lock is not compared with what its name leads to", "common/files/file_layer.py",
        "return os.path.samestat(os.stat(path), os.fstat(fd))", "return True", "host/test_host_opener.py",
    ),
    Bug(
        "a checkpoint does not look whether its files were replaced", "kernel/running.py",
        "        path = self._lock.replaced()\n        if path:\n", "        path = \"\"\n        if path:\n",
        "host/test_host_opener.py",
    ),
    Bug(
        "a file is closed without the sync that it needs", _OPEN_FILES,
        "victim = next((file for file in idle if not file._unsynced), None)", "victim = next(iter(idle), None)",
        "common/test_common_open_files.py",
    ),
    Bug(
        "nobody hears of a sync that failed when a file was closed", _OPEN_FILES,
        "                self._failure = error  # final: a later one may seem to work\n", "",
        "common/test_common_open_files.py",
    ),
    Bug(
        "too many open files are a failed sync", "store/store_errors.py",
        "return error if error.errno in OUT_OF_FILES else StoreFailed(", "return StoreFailed(",
        "host/test_host_open_files.py", "common/test_common_open_files.py",
    ),
    Bug(
        "an image counts before its last part", "kernel/state/image_in_parts.py",
        "        if is_last:\n            core.media[self._key] = self._first\n",
        "        if True:\n            core.media[self._key] = self._before = self._first\n",
        "kernel/state/test_kernel_image_in_parts.py",
    ),
    Bug(
        "a restart counts an image without its last part", "kernel/recovery/restart.py",
        "if record.flags & journal.MEDIA_LAST:", "if True:", "kernel/state/test_kernel_image_in_parts.py",
        "kernel/recovery/test_kernel_media_model.py",
    ),
    Bug(
        "media recovery takes an image without its last part for whole", "kernel/recovery/media_recovery.py",
        "self.is_whole = bool(record.flags & journal.MEDIA_LAST)", "self.is_whole = True",
        "kernel/state/test_kernel_image_in_parts.py", "kernel/recovery/test_kernel_media_model.py",
    ),
    Bug(
        "a dead thread's unit of work stays", "client/dead_threads.py",
        "        weakref.finalize(owner, self._work.add, session).atexit = False\n", "",
        "client/test_client_dead_threads.py",
    ),
)  # fmt: skip

BUGS: tuple[Bug, ...] = (
    *DURABILITY, *SHORT_WAYS, *VERBS, *UNITS, *RECOVERY, *SECURITY, *STORE, *FAIRNESS, *DOORS, *FAULTS,
)  # fmt: skip
