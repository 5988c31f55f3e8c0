"""Name resolution: from the two names in an object descriptor to a queue that takes the message.

The rules are MQ's: a local queue is itself, an alias stands for its target, a remote definition names a queue on
another queue manager, reached over a transmission queue; a remote definition without a remote queue name is a
queue-manager alias or a reply-to alias, depending on which field names it.
"""

from __future__ import annotations

from libremq.kernel.objects.object_types import AliasQueue, LocalQueue, ModelQueue, MQObject, RemoteQueue
from libremq.kernel.state.connection import Destination
from libremq.kernel.state.core import Core
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

_XMITQ_REASONS = (C.MQRC_UNKNOWN_XMIT_Q, C.MQRC_XMIT_Q_TYPE_ERROR, C.MQRC_XMIT_Q_USAGE_ERROR)
_DEFAULT_XMITQ_REASONS = (C.MQRC_UNKNOWN_DEF_XMIT_Q, C.MQRC_DEF_XMIT_Q_TYPE_ERROR, C.MQRC_DEF_XMIT_Q_USAGE_ERROR)


def named_queue(core: Core, name: str) -> MQObject:
    """The queue object of this name on this queue manager."""
    obj = core.catalogue.find_queue(name)
    if obj is None:
        upper = name.upper()  # as MQSC takes it without quotes
        known = f", but {upper} is: upper and lower case differ" if core.catalogue.find_queue(upper) else ""
        raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, name, f"no queue of this name is defined{known}")
    return obj


def base_of(core: Core, alias: AliasQueue) -> LocalQueue | RemoteQueue:
    """The queue for which an alias stands."""
    if alias.targtype == C.MQOT_TOPIC:
        raise mq_error(
            C.MQRC_FUNCTION_NOT_SUPPORTED,
            alias.name,
            "it is an alias of a topic; this release has no publish/subscribe",
        )
    base = core.catalogue.find_queue(alias.target)
    if base is None:
        raise mq_error(
            C.MQRC_UNKNOWN_ALIAS_BASE_Q, alias.name, f"it is an alias of {alias.target!r}, which is not defined"
        )
    if not isinstance(base, LocalQueue | RemoteQueue):
        raise mq_error(C.MQRC_ALIAS_BASE_Q_TYPE_ERROR, alias.name, f"its target {base.name} is a {base.kind}")
    return base


def destination_of(core: Core, name: str, qmgr: str) -> Destination:
    """Where a put to these names goes. Model queues are the business of MQOPEN."""
    if qmgr in ("", core.qmgr_name):
        obj = named_queue(core, name)
        if isinstance(obj, ModelQueue):
            raise mq_error(C.MQRC_Q_TYPE_ERROR, name, "a model queue holds no messages; open it to make a queue")
        return destination_of_object(core, obj)
    alias = queue_manager_alias(core, qmgr)
    if alias is not None:
        if alias.rqmname == core.qmgr_name and not alias.xmitq:
            return _with_path(destination_of(core, name, ""), alias)
        target = alias.rqmname or qmgr
        return _remote(core, name, target, alias.xmitq, (alias,))
    return _remote(core, name, qmgr, "", ())


def queue_manager_alias(core: Core, qmgr: str) -> RemoteQueue | None:
    """The alias that has the name of a queue manager, if there is one."""
    alias = core.catalogue.find_queue(qmgr)
    if not isinstance(alias, RemoteQueue):
        return None
    if alias.rname:
        raise mq_error(C.MQRC_UNKNOWN_REMOTE_Q_MGR, qmgr, "it names a remote queue; a queue-manager alias has no RNAME")
    return alias


def destination_of_object(core: Core, obj: MQObject) -> Destination:
    if isinstance(obj, LocalQueue):
        return Destination(core.local_queue(obj), path=(obj,))
    if isinstance(obj, AliasQueue):
        return _with_path(destination_of_object(core, base_of(core, obj)), obj)
    assert isinstance(obj, RemoteQueue)
    if not obj.rname:
        raise mq_error(
            C.MQRC_REMOTE_Q_NAME_ERROR,
            obj.name,
            "it has no RNAME: it is an alias of a queue manager or of a reply-to queue",
        )
    if obj.rqmname in ("", core.qmgr_name):
        raise mq_error(
            C.MQRC_UNKNOWN_REMOTE_Q_MGR,
            obj.name,
            "its RQMNAME names no other queue manager; for a queue that is here define an alias",
        )
    return _remote(core, obj.rname, obj.rqmname, obj.xmitq, (obj,))


def _with_path(destination: Destination, obj: MQObject) -> Destination:
    return Destination(destination.queue, destination.remote_queue, destination.remote_qmgr, (obj, *destination.path))


def _remote(core: Core, queue: str, qmgr: str, xmitq: str, path: tuple[MQObject, ...]) -> Destination:
    transmission = transmission_queue(core, qmgr, xmitq)
    return Destination(core.local_queue(transmission), queue, qmgr, (*path, transmission))


def transmission_queue(core: Core, qmgr: str, xmitq: str) -> LocalQueue:
    """The transmission queue to another queue manager: named by the definition, or like it, or the default."""
    if xmitq:
        return _checked(core, xmitq, _XMITQ_REASONS)
    if core.catalogue.find_queue(qmgr) is not None:
        return _checked(core, qmgr, _XMITQ_REASONS)
    default = core.catalogue.qmgr.defxmitq
    if default:
        return _checked(core, default, _DEFAULT_XMITQ_REASONS)
    raise mq_error(
        C.MQRC_UNKNOWN_REMOTE_Q_MGR,
        qmgr,
        "no transmission queue leads to this queue manager, and there is no default one (DEFXMITQ)",
    )


def _checked(core: Core, name: str, reasons: tuple[int, int, int]) -> LocalQueue:
    unknown, wrong_type, wrong_usage = reasons
    obj = core.catalogue.find_queue(name)
    if obj is None:
        raise mq_error(unknown, name, "the transmission queue is not defined")
    if not isinstance(obj, LocalQueue):
        raise mq_error(wrong_type, name, f"a transmission queue must be a local queue; this is a {obj.kind}")
    if not obj.is_transmission_queue:
        raise mq_error(wrong_usage, name, "the local queue must have USAGE(XMITQ)")
    return obj


def reply_to(core: Core, queue: str, qmgr: str) -> tuple[str, str]:
    """The reply-to names that travel with a message: reply-to aliases resolved, this queue manager filled in."""
    if not queue or qmgr:
        return queue, qmgr
    obj = core.catalogue.find_queue(queue)
    if isinstance(obj, RemoteQueue):
        return obj.rname or queue, obj.rqmname or core.qmgr_name
    return queue, core.qmgr_name


def dead_letter_queue(core: Core) -> Destination | None:
    """The local queue for messages that cannot be delivered, or None if there is none that works."""
    name = core.catalogue.qmgr.deadq
    if not name:
        return None
    try:
        return destination_of(core, name, "")
    except MQError:
        return None
