"""The object authority manager: may this user do that?

Checks are made at MQCONN, MQOPEN, MQPUT1, at an MQCLOSE that deletes, and before commands; whoever has an object open
keeps what the open gave. The object that was named is checked, never what its name resolves to: who may put to an
alias need not be able to put to its target. Privileged connections are not checked at all. A refusal is reason 2035
with a text that says what is missing, a message for the error log and, with AUTHOREV(ENABLED), an event.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Protocol

from libremq.common.messages.amq_messages import amq
from libremq.kernel.authority.authority_records import (
    delete_authority,
    entity_authority,
    remove_records_of,
    select_records,
    set_authority,
    type_of,
)
from libremq.kernel.events import queue_manager_events
from libremq.kernel.messages import name_resolution
from libremq.kernel.objects.object_types import LocalQueue, ModelQueue, MQObject
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQOD, MQOR
from libremq.security.authorities import APPLICABLE, TYPES, bit, words

__all__ = [
    "Subject",
    "allowed",
    "check_close",
    "check_command",
    "check_connect",
    "check_destination",
    "check_model",
    "check_object",
    "check_queue",
    "check_reply",
    "delete_authority",
    "entity_authority",
    "groups_of",
    "is_administrator",
    "own_dynamic_queue",
    "refresh",
    "remove_records_of",
    "select_records",
    "sender_of",
    "set_authority",
    "type_of",
]

_INPUT = C.MQOO_INPUT_AS_Q_DEF | C.MQOO_INPUT_SHARED | C.MQOO_INPUT_EXCLUSIVE
# open options -> what they need on the object itself
_NEEDED: tuple[tuple[int, int], ...] = (
    (_INPUT | C.MQOO_SAVE_ALL_CONTEXT, C.MQAUTH_INPUT),
    (C.MQOO_BROWSE, C.MQAUTH_BROWSE),
    (C.MQOO_OUTPUT, C.MQAUTH_OUTPUT),
    (C.MQOO_INQUIRE, C.MQAUTH_INQUIRE),
    (C.MQOO_SET, C.MQAUTH_SET),
    (C.MQOO_PASS_IDENTITY_CONTEXT, C.MQAUTH_PASS_IDENTITY_CONTEXT),
    (C.MQOO_PASS_ALL_CONTEXT, C.MQAUTH_PASS_ALL_CONTEXT),
    (C.MQOO_SET_IDENTITY_CONTEXT, C.MQAUTH_SET_IDENTITY_CONTEXT),
    (C.MQOO_SET_ALL_CONTEXT, C.MQAUTH_SET_ALL_CONTEXT),
)
_ALSO_ON_QMGR = bit(C.MQAUTH_SET_IDENTITY_CONTEXT) | bit(C.MQAUTH_SET_ALL_CONTEXT)
_PUT, _SET_ALL, _DISPLAY = bit(C.MQAUTH_OUTPUT), bit(C.MQAUTH_SET_ALL_CONTEXT), bit(C.MQAUTH_DISPLAY)


class Subject(Protocol):
    """Who wants something: a connection, or whoever is behind a command."""

    @property
    def user(self) -> str: ...

    @property
    def groups(self) -> frozenset[str]: ...

    @property
    def privileged(self) -> bool: ...


class Issuer(NamedTuple):
    """A subject that is no connection: the user of a command message, an alternate user."""

    user: str
    groups: frozenset[str]
    privileged: bool = False


# Who somebody is


def groups_of(core: Core, user: str) -> frozenset[str]:
    """The groups that a user is in, looked up anew as far as that is cheap."""
    return core.authorities.entities.groups_of(user)


def is_administrator(core: Core, user: str, groups: frozenset[str]) -> bool:
    """May the user do everything: a member of mqm, or one of the administrators that the configuration names?"""
    return core.authorities.is_administrator(user, groups)


def issuer_of(core: Core, user: str) -> Issuer:
    """A user that acts without a connection of its own."""
    groups = core.authorities.entities.remembered_groups_of(user)
    return Issuer(user, groups, core.authorities.is_administrator(user, groups))


def sender_of(core: Core, user: str) -> Issuer:
    """The user in a descriptor, for what is done on its behalf when its connection may be gone.

    In a server the name alone says what it may: a connection of the owner under somebody's name must not lend its
    privilege to what others have put under that name.
    """
    known = issuer_of(core, user)
    if not core.authorities.trusting:
        return known
    connected = [one for one in core.connections.values() if one.user == user]
    groups = next((one.groups for one in connected if one.groups_are_given), known.groups)
    return Issuer(user, groups, all(one.privileged for one in connected))


def refresh(core: Core) -> None:
    """REFRESH SECURITY: users, groups and records are looked at anew, also for those who are connected."""
    core.authorities.refresh()
    core.definitions_version += 1  # what was allowed to who puts again and again is asked anew
    for connection in core.connections.values():
        if connection.privileged and connection.privilege_of is not None:
            user = connection.privilege_of
            connection.privileged = is_administrator(core, user, groups_of(core, user))
        if not connection.privileged and not connection.groups_are_given:
            connection.groups = groups_of(core, connection.user)


# The decision


def allowed(core: Core, subject: Subject, object_type: int, name: str, needed: int) -> bool:
    """Has the subject all authorities of a mask? Nobody is told."""
    return subject.privileged or not _missing(core, subject, object_type, name, needed)


def _missing(core: Core, subject: Subject, object_type: int, name: str, needed: int) -> int:
    missing = needed & ~core.authorities.rights(core, subject.user, subject.groups, object_type, name)
    if missing and object_type == C.MQOT_Q:
        queue = core.queues.get(name)
        if queue is not None and queue.creator and queue.creator == subject.user:
            missing &= ~APPLICABLE[C.MQOT_Q]  # a temporary queue is its maker's
    return missing


def _refusal(core: Core, user: str, object_type: int, name: str, missing: int) -> MQError:
    """Say it, and make the error of the call."""
    lacks = ", ".join(words(missing))
    text = TYPES[object_type].text
    core.say(amq(8245, user, name, text) if missing == _DISPLAY else amq(8077, user, name, text, lacks))
    profile = "" if object_type == C.MQOT_Q_MGR else f"PROFILE('{name}') "
    return mq_error(
        C.MQRC_NOT_AUTHORIZED,
        name,
        f"user {user!r} lacks {lacks} on {text} {name}; an administrator can give it: SET AUTHREC {profile}"
        f"OBJTYPE({TYPES[object_type].word}) PRINCIPAL('{user}') AUTHADD({lacks.upper().replace(' ', '')})",
    )


# MQCONN


def check_connect(core: Core, connection: Connection) -> None:
    if connection.privileged:
        return
    missing = _missing(core, connection, C.MQOT_Q_MGR, "", bit(C.MQAUTH_CONNECT))
    if missing:
        error = _refusal(core, connection.user, C.MQOT_Q_MGR, core.qmgr_name, missing)
        queue_manager_events.not_authorized(
            core,
            queue_manager_events.CONNECT,
            user=connection.user,
            application=connection.application,
            application_type=connection.application_type,
        )
        raise error


# MQOPEN and MQPUT1


@lru_cache(maxsize=1024)
def _needed(options: int) -> int:
    mask = 0
    for option, authority in _NEEDED:
        if options & option:
            mask |= bit(authority)
    return mask


def _is_exempt(connection: Connection, options: int) -> bool:
    """May it open everything? A privileged user that names another one wants to be checked as that one."""
    return connection.privileged and (connection.trusted or not options & C.MQOO_ALTERNATE_USER_AUTHORITY)


def check_object(core: Core, connection: Connection, od: MQOD, options: int, obj: MQObject) -> None:
    """An object that is no queue is opened."""
    if not _is_exempt(connection, options):
        _check_open(core, connection, od, options, obj.object_type, obj.name, _needed(options))


def check_queue(core: Core, connection: Connection, od: MQOD, options: int, obj: MQObject | None) -> None:
    """A queue is opened; `obj` is the one that has the name here, None if the name is one of another queue manager."""
    if _is_exempt(connection, options):
        return
    object_type, name = C.MQOT_Q, od.ObjectName
    if obj is None:
        object_type, name, obj = _remote_name(core, od)
    _check_open(core, connection, od, options, object_type, name, _needed_on(obj, _needed(options)))


def _needed_on(obj: MQObject | None, needed: int) -> int:
    """Who puts to a transmission queue by its name writes the transmission header, which is context of others."""
    if needed & _PUT and isinstance(obj, LocalQueue | ModelQueue) and obj.usage == C.MQUS_TRANSMISSION:
        return needed & ~_PUT | _SET_ALL
    return needed


def check_destination(core: Core, connection: Connection, od: MQOD, options: int, record: MQOR) -> None:
    """One queue of a distribution list is opened."""
    if _is_exempt(connection, options):
        return
    named = od.copy()
    named.ObjectName, named.ObjectQMgrName = record.ObjectName, record.ObjectQMgrName
    local = record.ObjectQMgrName in ("", core.qmgr_name)
    check_queue(core, connection, named, options, core.catalogue.find_queue(record.ObjectName) if local else None)


def _remote_name(core: Core, od: MQOD) -> tuple[int, str, MQObject | None]:
    """What is checked for a name with a queue manager: its transmission queue, or its name where that is wanted.

    An alias of this queue manager does not count: the queue itself does, which is returned then.
    """
    alias = name_resolution.queue_manager_alias(core, od.ObjectQMgrName)
    qmgr, xmitq = od.ObjectQMgrName, ""
    if alias is not None:
        if alias.rqmname == core.qmgr_name and not alias.xmitq:
            return C.MQOT_Q, od.ObjectName, name_resolution.named_queue(core, od.ObjectName)
        qmgr, xmitq = alias.rqmname or qmgr, alias.xmitq
    if core.authorities.by_remote_name:
        return C.MQOT_REMOTE_Q_MGR_NAME, qmgr, None
    return C.MQOT_Q, name_resolution.transmission_queue(core, qmgr, xmitq).name, None


def check_reply(core: Core, sender: Subject, queue: str, qmgr: str) -> None:
    """A report or an answer is to be put: whoever asked for it must not write where it could not write itself."""
    if sender.privileged:
        return
    asking = Connection(0, sender.user, core.qmgr_name, C.MQAT_QMGR)
    asking.groups, asking.privileged = sender.groups, False
    local = qmgr in ("", core.qmgr_name)
    found = name_resolution.named_queue(core, queue) if local else None
    check_queue(core, asking, MQOD(ObjectName=queue, ObjectQMgrName=qmgr), C.MQOO_OUTPUT, found)


def check_model(core: Core, connection: Connection, od: MQOD, options: int, model: MQObject) -> None:
    """A model queue is opened, which makes a queue: that takes dsp on the model, beside what the options need."""
    if not _is_exempt(connection, options):
        needed = _needed_on(model, _needed(options)) | _DISPLAY
        _check_open(core, connection, od, options, C.MQOT_Q, model.name, needed)


def _check_open(
    core: Core, connection: Connection, od: MQOD, options: int, object_type: int, name: str, needed: int
) -> None:
    subject: Subject = connection
    if options & C.MQOO_ALTERNATE_USER_AUTHORITY:
        alternate = bit(C.MQAUTH_ALT_USER_AUTHORITY)
        missing = 0 if connection.privileged else _missing(core, connection, C.MQOT_Q_MGR, "", alternate)
        if missing:
            raise _not_opened(core, connection, connection, od, options, C.MQOT_Q_MGR, core.qmgr_name, missing)
        subject = issuer_of(core, od.AlternateUserId)
        if subject.privileged:
            return
    missing = _missing(core, subject, object_type, name, needed)
    if missing:
        raise _not_opened(core, connection, subject, od, options, object_type, name, missing)
    missing = needed & _ALSO_ON_QMGR
    if missing:
        missing = _missing(core, subject, C.MQOT_Q_MGR, "", missing)
        if missing:
            raise _not_opened(core, connection, subject, od, options, C.MQOT_Q_MGR, core.qmgr_name, missing)


def _not_opened(
    core: Core,
    connection: Connection,
    subject: Subject,
    od: MQOD,
    options: int,
    object_type: int,
    name: str,
    missing: int,
) -> MQError:
    error = _refusal(core, subject.user, object_type, name, missing)
    queue_manager_events.not_authorized(
        core,
        queue_manager_events.OPEN,
        user=subject.user,
        application=connection.application,
        application_type=connection.application_type,
        object_name=od.ObjectName,
        object_qmgr=od.ObjectQMgrName,
        object_type=od.ObjectType,
        options=options,
    )
    return error


def own_dynamic_queue(core: Core, connection: Connection, queue: QueueState, user: str) -> int:
    """Whoever made a dynamic queue may do everything with it: by a record if it outlives this run, else by memory.

    Returns the log position of the record.
    """
    if queue.definition.is_temporary:
        queue.creator = user
        return 0
    if connection.privileged:
        return 0
    return set_authority(core, queue.name, C.MQOT_Q, principals=(user,), add=(C.MQAUTH_ALL,), known=True)


# MQCLOSE


def check_close(core: Core, connection: Connection, handle: ObjectHandle, queue: QueueState) -> None:
    """A permanent dynamic queue is to be deleted by another handle than the one that made it."""
    if connection.privileged:
        return
    subject: Subject = issuer_of(core, handle.alternate_user) if handle.alternate_user else connection
    missing = 0 if subject.privileged else _missing(core, subject, C.MQOT_Q, queue.name, bit(C.MQAUTH_DELETE))
    if missing:
        error = _refusal(core, subject.user, C.MQOT_Q, queue.name, missing)
        queue_manager_events.not_authorized(
            core,
            queue_manager_events.CLOSE,
            user=subject.user,
            application=connection.application,
            application_type=connection.application_type,
            object_name=queue.name,
        )
        raise error


# Commands


def check_command(core: Core, subject: Subject, object_type: int, name: str, *needed: int, command: int = 0) -> None:
    """Before a command (MQCMD_*) on an object: has its issuer these authorities (MQAUTH_*)?

    MQAUTH_CREATE is about the type as a whole: the object need not be there.
    """
    if subject.privileged:
        return
    if object_type == C.MQOT_Q_MGR:
        name = core.qmgr_name
    mask = sum(map(bit, set(needed)))
    missing = _missing(core, subject, object_type, name, mask)
    if missing:
        error = _refusal(core, subject.user, object_type, name, missing)
        queue_manager_events.not_authorized(core, queue_manager_events.COMMAND, user=subject.user, command=command)
        raise error
