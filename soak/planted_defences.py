"""Planted bugs in what keeps harm away: who may, files that are damaged, callers that want too much or are not who they
say, faults of disks and threads.
"""

from __future__ import annotations

from soak.planted_bug import Bug

_CORE = "kernel/state/core.py"
_TAKING = "kernel/verbs/taking.py"
_PLAIN_GETS = "kernel/verbs/plain_gets.py"
_QUEUE_STATE = "kernel/state/queue_state.py"
_XA = "kernel/units/xa_branches.py"
_CHECKPOINT = "kernel/recovery/checkpoint.py"
_CHLAUTH = "security/channel_authentication.py"
_AUTHORITIES = "security/authorities.py"
_SEARCHING = "kernel/verbs/searching.py"
_STRANGERS = "server/net/strangers.py"
_BUDGET = "server/net/turn_budget.py"
_CLIENT_LINK = "server/net/client_link.py"
_MESSAGE_LINK = "server/net/message_link.py"
_EVENT_LOOP = "server/net/event_loop.py"
_OPEN_FILES = "common/files/open_files.py"
_EXPIRY_TESTS = "kernel/verbs/test_kernel_expiry.py"
_TAKING_TESTS = "kernel/verbs/test_kernel_taking.py"
_SEARCHING_TESTS = "kernel/verbs/test_kernel_searching.py"
_OWNERS_TESTS = "kernel/units/test_kernel_xa_owners.py"
_CHLAUTH_TESTS = "security/test_security_channel_authentication.py"
_REPLAYS_TESTS = "channels/test_channels_replays.py"
_BUDGET_TESTS = "server/net/test_server_turn_budget.py"
_UNPROVEN_TESTS = "channels/test_channels_unproven.py"

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
        "if len(piece) == size and crc32(piece) == checksum:", "if len(piece) == size:",
        "store/test_store_misreads.py",
    ),
    Bug(
        "MAXFSIZE is ignored", _CORE, "        if queue.is_limited:", "        if False:",
        "kernel/state/test_kernel_file_limit.py",
    ),
    Bug(
        "a put looks at MONQ and MAXFSIZE once and never again", _CORE,
        "if queue.looked_at != self.definitions_version:", "if queue.looked_at < 0:",
        "kernel/state/test_kernel_file_limit.py", "kernel/state/test_kernel_queue_monitoring.py",
    ),
    Bug(
        "a scan goes on with a queue that was unloaded", "kernel/verbs/expiry.py",
        "if self._core.queues_by_id.get(queue.id) is not queue:", "if False:",
        "kernel/verbs/test_kernel_expiry.py",
    ),
    Bug(
        "a write that a sync has missed counts as synced", _OPEN_FILES,
        "file._unsynced = True  # once more", "pass  # once more", "common/test_common_open_files.py",
    ),
    Bug(
        "a batch of gets swallows that its unit of work gave way", "server/net/deliveries.py",
        "                conversation.connection.backed_out = True", "                pass",
        "server/net/test_server_deliveries.py",
    ),
    Bug(
        "a queue that was unloaded gives out numbers again", "kernel/recovery/checkpoint.py",
        "            core.resting_sequences[queue.id] = queue.store.next_sequence\n", "",
        "kernel/recovery/test_kernel_media_recovery.py",
    ),
    Bug(
        "a sync that failed when a folder was made is a lack of space", "store/store_errors.py",
        "    if isinstance(error, SyncFailed):", "    if False:",
        "kernel/recovery/test_kernel_checkpoint_steps.py",
    ),
    Bug(
        "a full disk hides that the sync of another queue failed", "kernel/recovery/checkpoint.py",
        "raise next((error for error in trouble if is_final(error)), trouble[0])", "raise trouble[0]",
        "kernel/recovery/test_kernel_checkpoint_steps.py",
    ),
)  # fmt: skip

# What came when LibreMQ was tried to be broken

FAIRNESS = (
    Bug(
        "a search forgets what changed behind it", _SEARCHING,
        "            if self._start < place <= self._place:\n                self._look_again_at((*place, slot))\n\n"
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
        "a peer without an address is let in", "server/admission/admission_decision.py",
        "if address_parts(applicant.address)[0]:", "if True:",
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
        "Message.of_bytes(body, data[HEADER_BYTES:], origin)", "Message.of_bytes(body, data[HEADER_BYTES:])",
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
        "the answer is made after the message is taken", _TAKING,
        """\
        got.reply = packed(pack, handle, queue, out_md, out_gmo, got)
    taken = 0
    if not failed:
        if browse:
            _stand_on(core, handle, queue, slots, options)
            handle.read_origin = messages[0].origin
        else:
            taken = _remove(core, queue, slots, messages, unit)
""",
        """\
    taken = 0
    if not failed:
        if browse:
            _stand_on(core, handle, queue, slots, options)
            handle.read_origin = messages[0].origin
        else:
            taken = _remove(core, queue, slots, messages, unit)
        if pack is not None:
            got.reply = packed(pack, handle, queue, out_md, out_gmo, got)
""",
        _TAKING_TESTS,
    ),
    Bug(
        "a plain get makes the answer after the message is taken", _PLAIN_GETS,
        "    if not before([found]):\n        return None, 0\n    got_before = ",
        "    core.take(queue, slot, unit)\n    if not before([found]):\n        return None, 0\n    got_before = ",
        _TAKING_TESTS,
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

DEFENCES = (*SECURITY, *STORE, *FAIRNESS, *DOORS, *FAULTS)
