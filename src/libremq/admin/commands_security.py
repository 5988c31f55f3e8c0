"""Records of authorities and of channel authentication: SET, DELETE and DISPLAY AUTHREC, ENTAUTH, CHLAUTH."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from libremq.admin import command_options as options
from libremq.admin.command import Command, Outcome, Row
from libremq.admin.command_context import Context, number, option, without, word
from libremq.admin.commands_objects import done, ignores_state
from libremq.admin.commands_status import filled
from libremq.admin.display import Values, shown
from libremq.admin.steps import Steps
from libremq.common.messages.amq_messages import amq
from libremq.kernel.authority import channel_authentication_records
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attribute_tables_security import CHLAUTH_TABLES
from libremq.kernel.objects.attributes import Attribute, Effect, Value
from libremq.kernel.objects.object_types import MQObject
from libremq.kernel.objects.security_records import ChannelAuthentication
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.security.authorities import values


def _names(command: Command, row: Attribute) -> tuple[str, ...]:
    return cast("tuple[str, ...]", option(command, row) or ())


def _entities(command: Command) -> list[tuple[int, str]]:
    """Who is meant: PRINCIPAL or GROUP of MQSC, entity name and type of PCF."""
    found = [(C.MQZAET_PRINCIPAL, name) for name in _names(command, options.PRINCIPALS)]
    found += [(C.MQZAET_GROUP, name) for name in _names(command, options.GROUPS)]
    name = word(command, options.ENTITY) if options.ENTITY in command.spec.options else ""
    if name:
        found.append((number(command, options.ENTITY_TYPE, C.MQZAET_PRINCIPAL), name))
    return found


def check_component(command: Command) -> None:
    """SERVCOMP: which of several components has the records. Here the queue manager has them itself."""
    if name := word(command, options.SERVCOMP):
        detail = "there is no such component of the authorization service: leave SERVCOMP out"
        raise mq_error(C.MQRC_UNKNOWN_COMPONENT_NAME, name, detail)


# AUTHREC

_MATCHES = {
    C.MQAUTHOPT_NAME_ALL_MATCHING: "PROFILE",
    C.MQAUTHOPT_ENTITY_SET: "MEMBERSHIP",
    C.MQAUTHOPT_NAME_EXPLICIT: "EXACT",
}


def set_record(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_CHANGE)
    check_component(command)
    lsn = context.manager.set_authority(
        word(command, options.PROFILE),
        number(command, options.AUTHORITY_OBJECT),
        principals=_names(command, options.PRINCIPALS),
        groups=_names(command, options.GROUPS),
        add=cast("tuple[int, ...]", option(command, options.AUTHADD) or ()),
        remove=cast("tuple[int, ...]", option(command, options.AUTHRMV) or ()),
    )
    return done(command, lsn)


def delete_record(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_CHANGE)
    try:
        lsn = context.manager.delete_authority(
            word(command, options.PROFILE),
            number(command, options.AUTHORITY_OBJECT),
            principals=_names(command, options.PRINCIPALS),
            groups=_names(command, options.GROUPS),
        )
    except MQError as error:
        if error.reason != C.MQRC_UNKNOWN_OBJECT_NAME or not ignores_state(command):
            raise
        lsn = 0
    return done(command, lsn)


def display_records(context: Context, command: Command) -> Steps[Outcome]:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    check_component(command)
    entities = _entities(command)
    match = _MATCHES[number(command, options.AUTHORITY_MATCH, C.MQAUTHOPT_NAME_ALL_MATCHING)]
    of = number(command, options.AUTHORITY_OBJECT, C.MQOT_ALL)
    found = context.manager.authority.records(
        word(command, options.PROFILE),
        0 if of == C.MQOT_ALL else of,
        entities[0] if entities else None,
        match,
    )
    rows = yield from shown(
        command,
        (("AUTHREC", _all_values(one)) for one in found),
        keys=("PROFILE", "ENTITY", "ENTTYPE", "OBJTYPE"),
        all_by_default=True,
    )
    if not rows:
        profile = word(command, options.PROFILE) or "these parameters"
        raise mq_error(C.MQRCCF_NONE_FOUND, profile, "there is no such authority record")
    return Outcome([amq(command.spec.message)], rows)


def _all_values(one: MQObject) -> Values:
    table = CHLAUTH_TABLES[one.type_word] if isinstance(one, ChannelAuthentication) else one.table
    return tuple((row, getattr(one, row.slot)) for row in table)


def display_entity(context: Context, command: Command) -> Steps[Outcome]:
    """DISPLAY ENTAUTH: what an entity may do with an object, all its records and groups together."""
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    check_component(command)
    entities = _entities(command)
    if len(entities) != 1:
        raise mq_error(C.MQRCCF_ENTITY_NAME_MISSING, "", "name one PRINCIPAL or one GROUP")
    enttype, entity = entities[0]
    of = number(command, options.AUTHORITY_OBJECT)
    name = word(command, options.OBJNAME)
    if not name and of != C.MQOT_Q_MGR:
        raise mq_error(C.MQRCCF_PARM_MISSING, "", "DISPLAY ENTAUTH needs OBJNAME")
    held = values(context.manager.authority.of_entity(enttype, entity, of, name))
    known: dict[str, Value] = {
        "ENTITY": entity,
        "ENTTYPE": enttype,
        "AUTHLIST": held or (C.MQAUTH_NONE,),
        "OBJTYPE": of,
        "OBJNAME": name,
    }
    rows = yield from shown(
        command, [("ENTAUTH", filled("ENTAUTH", known))], keys=("ENTITY", "ENTTYPE", "OBJTYPE"), all_by_default=True
    )
    return Outcome([amq(command.spec.message)], rows)


def display_service(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    check_component(command)
    row = Row("AUTHSERV", filled("AUTHSERV", {"IFVER": 1, "UIDSUPP": C.MQUIDSUPP_YES}))
    return Outcome([amq(command.spec.message, command.spec.words)], [row])


# CHLAUTH


def set_rule(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_CHANGE)
    given = without(command.parameters, options.CHLAUTH_ACTION)
    kind = given.pop("TYPE")
    action = number(command, options.CHLAUTH_ACTION, C.MQACT_ADD)
    lsn = context.manager.set_channel_authentication(command.name, cast("int | str", kind), given, action)
    outcome = done(command, lsn)
    rows = (TABLES["CHLAUTH"].find(keyword) for keyword, value in given.items() if value)
    if action != C.MQACT_REMOVE and (kept := [row.keyword for row in rows if row.effect is Effect.NOT_YET]):
        outcome.messages.append(amq(8490, ", ".join(kept)))
    return outcome


_BRIEF = (
    "SSLPEER", "ADDRESS", "CLNTUSER", "QMNAME", "MCAUSER", "USERSRC", "USERLIST", "ADDRLIST",
)  # fmt: skip


def display_rules(context: Context, command: Command) -> Steps[Outcome]:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    match = number(command, options.CHLAUTH_MATCH, C.MQMATCH_GENERIC)
    given = {keyword: str(value) for keyword, value in command.parameters.items() if keyword != "MATCH"}
    if match == C.MQMATCH_RUNCHECK:
        checked = channel_authentication_records.match_runcheck(
            context.definitions,
            command.name,
            given.get("ADDRESS", ""),
            client_user=given.get("CLNTUSER", ""),
            queue_manager=given.get("QMNAME", ""),
            peer_dn=given.get("SSLPEER", ""),
            issuer_dn=given.get("SSLCERTI", ""),
            is_privileged=lambda user: context.manager.authority.issuer_of(user).privileged,
        )
        found = list(checked.records)
        if not found:
            raise mq_error(C.MQRCCF_CHLAUTH_NOT_FOUND, command.name, "no rule applies to such a connection")
    else:
        rule_type = cast("int | str", command.parameters.get("TYPE", C.MQCAUT_ALL))
        found = channel_authentication_records.find_records(context.definitions, command.name, match, rule_type)
        found = [one for one in found if _chosen(one, given)]
    rows = yield from shown(
        command,
        (("CHLAUTH", _all_values(one)) for one in found),
        keys=("CHLAUTH", "TYPE"),
        brief=_BRIEF,
    )
    if not rows:
        raise mq_error(C.MQRCCF_CHLAUTH_NOT_FOUND, command.name, "no rule is like this")
    in_use = context.definitions.qmgr.chlauth == C.MQCHLA_ENABLED
    return Outcome([amq(command.spec.message if in_use else 8898)], rows)


def _chosen(one: MQObject, given: dict[str, str]) -> bool:
    return all(
        str(getattr(one, one.table.by_keyword[keyword].slot)) == value
        for keyword, value in given.items()
        if keyword != "TYPE" and keyword in one.table.by_keyword
    )


HANDLERS: dict[tuple[str, str], Callable[[Context, Command], Outcome | Steps[Outcome]]] = {
    ("SET", "AUTHREC"): set_record,
    ("DELETE", "AUTHREC"): delete_record,
    ("DISPLAY", "AUTHREC"): display_records,
    ("DISPLAY", "ENTAUTH"): display_entity,
    ("DISPLAY", "AUTHSERV"): display_service,
    ("SET", "CHLAUTH"): set_rule,
    ("DISPLAY", "CHLAUTH"): display_rules,
}
