"""Commands on definitions: DEFINE, ALTER, DELETE, DISPLAY, CLEAR, MOVE, for every kind of object alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from libremq.admin import command_options as options
from libremq.admin.attribute_groups import QMGR_GROUPS
from libremq.admin.command import Command, Outcome
from libremq.admin.command_context import Context, number, option, without, word
from libremq.admin.display import Found, Values, shown
from libremq.admin.steps import Steps
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import is_generic_name
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES
from libremq.kernel.objects.attributes import Attribute, Effect, GivenValue, Source, Value
from libremq.kernel.objects.catalogue import DEFAULT_OBJECTS
from libremq.kernel.objects.channel_sync_record import SENDER
from libremq.kernel.objects.definition_checks import typed
from libremq.kernel.objects.object_types import CLASSES, LocalQueue, MQObject
from libremq.kernel.units import channel_batches, channel_state_changes
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

_UNKNOWN = (C.MQRC_UNKNOWN_OBJECT_NAME, C.MQRCCF_CHANNEL_NOT_FOUND)


def object_type_of(kind: str) -> int:
    """What authorities know the kind as: MQOT_*."""
    if kind == "CLNTCONN":
        return C.MQOT_CLNTCONN_CHANNEL
    return CLASSES[GENERIC_TYPES[kind][0] if kind in GENERIC_TYPES else kind].object_type


def done(command: Command, lsn: int, *inserts: object) -> Outcome:
    spec = command.spec
    return Outcome([amq(spec.message, *(inserts or (spec.words,)))], lsn=lsn)


def not_there_yet(what: str, part: str) -> Outcome:
    return Outcome([amq(8499, what, part)], reason=C.MQRC_FUNCTION_NOT_SUPPORTED, comp_code=C.MQCC_FAILED)


# DEFINE, ALTER, DELETE


def define(context: Context, command: Command) -> Outcome:
    kind, name = command.spec.object, command.name
    like_row = command.spec.options[0]
    attributes = without(command.parameters, *command.spec.options)
    like = word(command, like_row) or None
    replace = number(command, options.REPLACE, C.MQRP_NO) == C.MQRP_YES
    actual = typed(kind, attributes, name)[0]
    object_type = object_type_of(actual)
    context.need(object_type, name, C.MQAUTH_CREATE)
    base = like or DEFAULT_OBJECTS.get(actual, "")
    if base and context.definitions.find(actual, base) is not None:
        context.need(object_type, base, C.MQAUTH_DISPLAY)
    existing = context.definitions.find(actual, name)
    if replace and existing is not None:
        context.need(object_type, name, C.MQAUTH_CHANGE)
        _check_use(context, existing, attributes)
    outcome = done(command, context.manager.define(kind, name, attributes, like=like, replace=replace))
    return _with_warning(context, outcome, context.definitions.find(actual, name), attributes)


def _object_type(context: Context, kind: str, name: str) -> int:
    """What authorities know an object as. CHANNEL may mean a client-connection channel, which is a type of its own."""
    found = context.definitions.find(kind, name) if kind in GENERIC_TYPES else None
    return object_type_of(kind if found is None else found.kind)


def alter(context: Context, command: Command) -> Outcome:
    kind = command.spec.object
    attributes = without(command.parameters, *command.spec.options)
    name = command.name or (context.manager.name if kind == "QMGR" else "")
    context.need(_object_type(context, typed(kind, attributes, name)[0], name), name, C.MQAUTH_CHANGE)
    if number(command, options.FORCE, C.MQFC_NO) == C.MQFC_NO:
        _check_use(context, context.definitions.find(kind, name), attributes)
    outcome = done(command, context.manager.alter(kind, "" if kind == "QMGR" else name, attributes))
    return _with_warning(context, outcome, context.definitions.find(kind, name), attributes)


def _with_warning(
    context: Context, outcome: Outcome, changed: MQObject | None, attributes: Mapping[str, GivenValue]
) -> Outcome:
    """Say which of the attributes were given a value, other than their default, that nobody acts on yet, or here."""
    if changed is not None:
        table = changed.table
        linear = context.manager.log.config.linear
        rows = [table.find(keyword) for keyword in attributes]
        idle = [row for row in rows if row.effect is Effect.NOT_YET or (_is_about_images(row) and not linear)]
        kept = [row.keyword for row in idle if getattr(changed, row.slot) != table.defaults[row.slot]]
        if kept:
            outcome.messages.append(amq(8490, ", ".join(kept)))
    return outcome


def _is_about_images(row: Attribute) -> bool:
    """IMGSCHED, IMGRCOVQ and the like: media images are of a linear log only."""
    return row.keyword.startswith("IMG")


def _check_use(context: Context, found: MQObject | None, attributes: Mapping[str, GivenValue]) -> None:
    """What would pull the ground from under those who have a queue open needs FORCE."""
    if not isinstance(found, LocalQueue) or not {"USAGE", "SHARE"} & {keyword.upper() for keyword in attributes}:
        return
    given = found.table.convert_all(attributes, found.name)
    queue = context.manager.queue_status(found)
    advice = "; end its users first, or ALTER it with FORCE"
    if given.get("usage", found.usage) != found.usage and (queue.is_open or queue.depth):
        raise mq_error(C.MQRC_OBJECT_IN_USE, found.name, f"USAGE changes, and it is open or holds messages{advice}")
    if given.get("share", found.share) == C.MQQA_NOT_SHAREABLE and queue.input_count > 1:
        raise mq_error(C.MQRC_OBJECT_IN_USE, found.name, f"NOSHARE, and {queue.input_count} get from it{advice}")


def delete(context: Context, command: Command) -> Outcome:
    kind, name = command.spec.object, command.name
    if number(command, options.CHLTABLE) == C.MQCHTAB_CLNTCONN:
        kind = "CLNTCONN"
    context.need(_object_type(context, kind, name), name, C.MQAUTH_DELETE)
    if kind == "CHANNEL":
        _check_channel_use(context, name)
    _check_it_has_stopped(context, kind, name)
    purge = number(command, options.PURGE, C.MQPO_NO) == C.MQPO_YES
    keep_authorities = number(command, options.AUTHREC, C.MQRAR_YES) == C.MQRAR_NO
    try:
        lsn = context.manager.delete(kind, name, purge=purge, keep_authorities=keep_authorities)
    except MQError as error:
        if error.reason in _UNKNOWN and ignores_state(command):
            return done(command, 0)
        raise
    if kind == "CHANNEL":
        lsn = max(lsn, _forget_channel(context, name))
    return done(command, lsn)


def _check_channel_use(context: Context, name: str) -> None:
    instances = context.operations.channel_instances()
    if any(one.channel == name and one.status != C.MQCHS_STOPPED for one in instances):
        raise mq_error(C.MQRCCF_CHANNEL_IN_USE, name, "it runs, or is to be tried again; STOP CHANNEL ends that")
    context.manager.channel_records.check_certain(SENDER, name)


def _check_it_has_stopped(context: Context, kind: str, name: str) -> None:
    """What runs without its object could be stopped by nobody: it has no name any more."""
    if kind == "LISTENER" and any(one.name == name for one in context.operations.listeners()):
        raise mq_error(C.MQRCCF_LISTENER_RUNNING, name, "it runs; STOP LISTENER first")
    if kind == "SERVICE" and any(one.name == name for one in context.operations.services()):
        raise mq_error(C.MQRCCF_SERVICE_RUNNING, name, "it runs; STOP SERVICE first")


def _forget_channel(context: Context, name: str) -> int:
    """After the channel itself: whoever defines it again goes on where both ends were, if this is cut short."""
    context.operations.forget_channel(name)
    positions = [channel_batches.forget(context.manager, one) for one in context.manager.channel_records.syncs_of(name)]
    return max([channel_state_changes.forget(context.manager, name), *positions])


def ignores_state(command: Command) -> bool:
    return number(command, options.IGNSTATE, C.MQIS_NO) == C.MQIS_YES


# DISPLAY


def display(context: Context, command: Command) -> Steps[Outcome]:
    spec = command.spec
    kind = spec.object
    if kind == "QCLUSTER" or (kind == "QUEUE" and option(command, options.QUEUE_TYPE) == C.MQQT_CLUSTER):
        raise not_found(command)  # no cluster, so no queues in it
    pattern = command.name if kind != "QMGR" else context.manager.name
    if pattern.endswith("*") and not is_generic_name(pattern):
        raise mq_error(C.MQRCCF_OBJECT_NAME_ERROR, pattern, "a generic name is the start of a name and an asterisk")
    if kind == "QMGR":
        context.need(C.MQOT_Q_MGR, pattern, C.MQAUTH_DISPLAY)
    elif not pattern.endswith("*") and context.definitions.find(kind, pattern) is not None:
        context.need(_object_type(context, kind, pattern), pattern, C.MQAUTH_DISPLAY)
    rows = yield from shown(
        command,
        _found(context, command, pattern),
        keys=_keys(kind),
        groups=QMGR_GROUPS if kind == "QMGR" else None,
        all_by_default=True if kind == "QMGR" else None,
    )
    if not rows:
        raise not_found(command)
    return Outcome([amq(spec.message)], rows)


def not_found(command: Command) -> MQError:
    return mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, command.name, f"no {command.spec.object} is called {command.name}")


def _keys(kind: str) -> tuple[str, ...]:
    """What identifies an object, and is always shown."""
    if kind == "QMGR":
        return ("QMNAME",)
    one = GENERIC_TYPES[kind][0] if kind in GENERIC_TYPES else kind
    rows = CLASSES[one].table.rows
    return tuple(row.keyword for row in rows if row.slot == "name" or row.keyword in ("TYPE", "CHLTYPE", "AUTHTYPE"))


def _found(context: Context, command: Command, pattern: str) -> Iterator[Found | None]:
    """The objects that the name means and the issuer may see, each as it is when it is looked at."""
    definitions = context.definitions
    is_of_type = _type_filter(command)
    values = _ValuesOfObjects(context)
    for selected in definitions.select(command.spec.object, pattern):
        one = definitions.find(selected.kind, selected.name)  # it may be gone by now, or be a new one
        if one is None or not is_of_type(one) or not context.may(object_type_of(one.kind), one.name, C.MQAUTH_DISPLAY):
            yield None
        else:
            yield one.kind, partial(values.of, one)


def _type_filter(command: Command) -> Callable[[MQObject], bool]:
    """Is an object of the type that was asked for, if the command names one?"""
    wanted: list[tuple[str, Value]] = []
    for row, every in (
        (options.QUEUE_TYPE, C.MQQT_ALL),
        (options.SHOWN_CHANNEL_TYPE, C.MQCHT_ALL),
        (options.AUTHINFO_TYPE, C.MQAIT_ALL),
    ):  # fmt: skip
        given = option(command, row) if row in command.spec.options else None
        if given is not None and given != every:
            wanted.append(("CHLTYPE" if row is options.SHOWN_CHANNEL_TYPE else row.keyword, given))
    return lambda one: all(getattr(one, one.table.by_keyword[keyword].slot) == value for keyword, value in wanted)


class _ValuesOfObjects:
    """What can be shown of objects, with what is counted at run time: only what is asked for is looked up."""

    def __init__(self, context: Context) -> None:
        self._manager = context.manager
        self._plans: dict[tuple[str, frozenset[str] | None], list[tuple[Attribute, str]]] = {}

    def of(self, one: MQObject, keywords: frozenset[str] | None) -> Values:
        key = one.kind, keywords
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = [
                (row, "" if row.source is Source.LIVE else row.slot)
                for row in one.table
                if not row.secret and (keywords is None or row.keyword in keywords)
            ]
        live = None
        found: list[tuple[Attribute, Value]] = []
        for row, slot in plan:
            if slot:
                found.append((row, row.shown(getattr(one, slot)) if row.discreet else getattr(one, slot)))
            else:
                if live is None:
                    live = self._manager.live_values(one)
                found.append((row, live.get(row.selector, 0)))
        return tuple(found)


# CLEAR, MOVE


def clear(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q, command.name, C.MQAUTH_CLEAR)
    return done(command, context.manager.clear(command.name))


def move(context: Context, command: Command) -> Steps[Outcome]:
    target = word(command, options.TOQLOCAL)
    context.need(C.MQOT_Q, command.name, C.MQAUTH_INPUT)
    context.need(C.MQOT_Q, target, C.MQAUTH_OUTPUT)
    # The messages keep the context of whoever put them, and what was plain data is a header on a transmission queue
    found = context.definitions.find("QLOCAL", target)
    is_transmission = isinstance(found, LocalQueue) and found.is_transmission_queue
    context.need(C.MQOT_Q, target, C.MQAUTH_SET_ALL_CONTEXT if is_transmission else C.MQAUTH_PASS_ALL_CONTEXT)
    if is_transmission:
        context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_SET_ALL_CONTEXT)
    add = number(command, options.MOVE_TYPE, C.MQIACF_MOVE_TYPE_MOVE) == C.MQIACF_MOVE_TYPE_ADD
    source_queue = context.definitions.find("QLOCAL", command.name)
    target_queue = context.definitions.find("QLOCAL", target)
    if not isinstance(source_queue, LocalQueue):
        raise not_found(command)
    if not isinstance(target_queue, LocalQueue):
        raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, target, f"TOQLOCAL({target}) is no local queue")
    return done(command, (yield from context.manager.move(source_queue, target_queue, add=add)))


HANDLERS: dict[str, Callable[[Context, Command], Outcome | Steps[Outcome]]] = {
    "DEFINE": define,
    "ALTER": alter,
    "DELETE": delete,
    "DISPLAY": display,
    "CLEAR": clear,
    "MOVE": move,
}
