"""From the parameters of a PCF message to a `Command`: the PCF ids of the command table in the place of keywords.

What a command takes is in the command table; here is only what PCF says in another way than MQSC: the type of a queue
as a parameter, COPY as a command of its own, the attributes asked for as a list of ids, filters as parameters,
connections as 24 bytes. Every fault is found before anything is done, and has MQ's own reason and the parameter's id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from libremq.admin import command_lookup
from libremq.admin.command import ALL, Command, Filter
from libremq.admin.command_spec import CommandSpec, Naming
from libremq.admin.connection_ids import external_name
from libremq.admin.pcf_structures import BadPCF, given_twice, unknown_parameter
from libremq.kernel.objects.attributes import Attribute, GivenValue, Kind, clean_text, convert
from libremq.kernel.objects.definitions import Definitions
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import (
    MQCFBF,
    MQCFBS,
    MQCFIF,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    MQCFSL,
    MQCFST,
    PCFParameter,
)

Filters = (MQCFIF, MQCFSF, MQCFBF)
NAMES_ONLY = frozenset(
    {
        C.MQCMD_INQUIRE_Q_NAMES, C.MQCMD_INQUIRE_PROCESS_NAMES, C.MQCMD_INQUIRE_NAMELIST_NAMES,
        C.MQCMD_INQUIRE_CHANNEL_NAMES, C.MQCMD_INQUIRE_TOPIC_NAMES, C.MQCMD_INQUIRE_AUTH_INFO_NAMES,
    }
)  # fmt: skip
"""Commands that are answered with one message of lists."""
# COPY: the id of the name of the new object, by that of the one it is made like
_TO_NAME: Mapping[int, int] = {
    C.MQCACF_FROM_Q_NAME: C.MQCACF_TO_Q_NAME,
    C.MQCACF_FROM_CHANNEL_NAME: C.MQCACF_TO_CHANNEL_NAME,
    C.MQCACF_FROM_LISTENER_NAME: C.MQCACF_TO_LISTENER_NAME,
    C.MQCACF_FROM_SERVICE_NAME: C.MQCACF_TO_SERVICE_NAME,
    C.MQCACF_FROM_PROCESS_NAME: C.MQCACF_TO_PROCESS_NAME,
    C.MQCACF_FROM_NAMELIST_NAME: C.MQCACF_TO_NAMELIST_NAME,
    C.MQCACF_FROM_TOPIC_NAME: C.MQCACF_TO_TOPIC_NAME,
    C.MQCACF_FROM_AUTH_INFO_NAME: C.MQCACF_TO_AUTH_INFO_NAME,
    C.MQCACF_FROM_COMM_INFO_NAME: C.MQCACF_TO_COMM_INFO_NAME,
    C.MQCACF_FROM_SUB_NAME: C.MQCACF_TO_SUB_NAME,
}
_QUEUE_TYPES: Mapping[int, str] = {
    C.MQQT_LOCAL: "QLOCAL", C.MQQT_MODEL: "QMODEL", C.MQQT_ALIAS: "QALIAS", C.MQQT_REMOTE: "QREMOTE",
}  # fmt: skip
# In a list of attributes: several at once
_GROUPS: Mapping[int, str] = {
    C.MQIACF_ALL: ALL,
    C.MQIACF_Q_MGR_SYSTEM: "SYSTEM",
    C.MQIACF_Q_MGR_EVENT: "EVENT",
    C.MQIACF_Q_MGR_DQM: "CHINIT",
    C.MQIACF_Q_MGR_CLUSTER: "CLUSTER",
    C.MQIACF_Q_MGR_PUBSUB: "PUBSUB",
    C.MQIACF_Q_MGR_STATUS_LOG: "LOG",
    C.MQIACF_MONITORING: "MONITOR",
    C.MQIACF_CLUSTER_INFO: "CLUSINFO",
}
_INTEGER_OPERATORS = (
    C.MQCFOP_LESS, C.MQCFOP_EQUAL, C.MQCFOP_NOT_GREATER, C.MQCFOP_GREATER, C.MQCFOP_NOT_EQUAL, C.MQCFOP_NOT_LESS,
)  # fmt: skip
_LIST_OPERATORS = (C.MQCFOP_CONTAINS, C.MQCFOP_EXCLUDES)
_TEXT_OPERATORS = (*_INTEGER_OPERATORS, C.MQCFOP_LIKE, C.MQCFOP_NOT_LIKE)
_TEXT_LIST_OPERATORS = (*_LIST_OPERATORS, C.MQCFOP_CONTAINS_GEN, C.MQCFOP_EXCLUDES_GEN)
_KINDS: Mapping[type[PCFParameter], tuple[Kind, ...]] = {
    MQCFIN: (Kind.INTEGER, Kind.ENUM, Kind.ENUM_LIST),
    MQCFIN64: (Kind.INTEGER, Kind.ENUM),
    MQCFIL: (Kind.ENUM_LIST,),
    MQCFIL64: (Kind.ENUM_LIST,),
    MQCFST: (Kind.STRING, Kind.NAME, Kind.NAME_LIST, Kind.TEXT_LIST),
    MQCFSL: (Kind.NAME_LIST, Kind.TEXT_LIST),
    MQCFBS: (Kind.BYTES,),
    MQCFIF: (Kind.INTEGER, Kind.ENUM, Kind.ENUM_LIST),
    MQCFSF: (Kind.STRING, Kind.NAME, Kind.NAME_LIST, Kind.TEXT_LIST),
    MQCFBF: (Kind.BYTES,),
}
"""Which attributes may come in a structure."""


def read_command(code: int, parameters: list[PCFParameter], definitions: Definitions) -> Command:
    """The command that a message means. BadPCF, with nothing done, if it means none."""
    specs = command_lookup.BY_PCF.get(code)
    if not specs:
        raise BadPCF(C.MQRCCF_CFH_COMMAND_ERROR, f"command {code} is not known here")
    return _Reading(code, specs, parameters, definitions).command()


@dataclass(frozen=True, slots=True)
class _Name:
    """The id of the parameter that names the object, and how long a name may be."""

    selector: int
    length: int


class _Reading:
    """One message."""

    def __init__(
        self, code: int, specs: tuple[CommandSpec, ...], parameters: list[PCFParameter], definitions: Definitions
    ) -> None:
        self._code = code
        self._parameters = parameters
        self._definitions = definitions
        self._words = specs[0].words if len(specs) == 1 else f"{specs[0].verb} QUEUE"
        self._filters = [one for one in parameters if isinstance(one, Filters)]
        self._given: dict[int, PCFParameter] = {}
        for one in parameters:
            if isinstance(one, Filters):
                continue
            if one.Parameter in self._given:
                raise given_twice(one)
            self._given[one.Parameter] = one
        self._spec = specs[0] if len(specs) == 1 else self._of_queues({spec.object: spec for spec in specs})
        self._words = self._spec.words

    def command(self) -> Command:
        spec = self._spec
        name = self._take_name()
        requested = self._take_requested()
        taken = self._known()
        parameters: dict[str, GivenValue] = {}
        for one in self._given.values():
            row = taken.get(one.Parameter)
            if row is None:
                raise unknown_parameter(one, self._words)
            parameters[row.keyword] = self._checked(row, one, name)
        self._check_required(taken, parameters)
        return Command(spec, name, parameters, requested, self._where(), source_parameters=self._parameters)

    @property
    def _is_copy(self) -> bool:
        return self._spec.verb == "DEFINE" and self._code != self._spec.pcf[0]

    # Which of several commands with one code

    def _of_queues(self, specs: dict[str, CommandSpec]) -> CommandSpec:
        if "QUEUE" in specs:
            return specs["QUEUE"]
        given = self._given.pop(C.MQIA_Q_TYPE, None)
        if given is None:
            verb = next(iter(specs.values())).verb
            if verb != "DELETE":
                raise BadPCF(C.MQRCCF_Q_TYPE_ERROR, f"{self._words} needs the type of the queue", C.MQIA_Q_TYPE)
            return specs[self._type_of_existing()]
        if not isinstance(given, MQCFIN):
            raise unknown_parameter(given, self._words)
        kind = _QUEUE_TYPES.get(given.Value)
        if kind not in specs:
            raise BadPCF(C.MQRCCF_Q_TYPE_ERROR, f"{self._words}: {given.Value} is no type of queue", C.MQIA_Q_TYPE)
        return specs[kind]

    def _type_of_existing(self) -> str:
        """Any queue of the name may be meant; where there is none, the executor says so."""
        named = self._given.get(C.MQCA_Q_NAME)
        if isinstance(named, MQCFST):
            found = self._definitions.find("QUEUE", clean_text(named.String))
            if found is not None and found.kind in _QUEUE_TYPES.values():
                return found.kind
        return "QLOCAL"

    # The name

    def _take_name(self) -> str:
        spec = self._spec
        if spec.naming is Naming.NONE:
            return ""
        if spec.name_selector == C.MQBACF_CONNECTION_ID:
            return self._take_connection()
        name = self._name_parameter()
        given = self._given.pop(name.selector, None)
        if given is None:
            if spec.naming is Naming.OPTIONAL:
                return ""
            raise self._missing(name.selector)
        if not isinstance(given, MQCFST):
            raise unknown_parameter(given, self._words)
        text = clean_text(given.String)
        if len(text.encode("utf-8", "replace")) > name.length:
            raise BadPCF(
                C.MQRCCF_CFST_STRING_LENGTH_ERR,
                f"{self._words}: a name has up to {name.length} characters",
                given.Parameter,
            )
        if not text and spec.naming is not Naming.OPTIONAL:
            raise BadPCF(C.MQRCCF_CFST_STRING_LENGTH_ERR, f"{self._words}: the name is blank", given.Parameter)
        return text

    def _name_parameter(self) -> _Name:
        spec = self._spec
        rows = command_lookup.attributes(spec.table)
        if self._is_copy:
            like = spec.options[0].selector
            if like not in self._given:
                raise self._missing(like)
            return _Name(_TO_NAME[like], rows[0].max_length)
        if spec.name_selector:
            length = next((row.max_length for row in rows if row.selector == spec.name_selector), 0)
            return _Name(spec.name_selector, length or (rows[0].max_length if rows else C.MQ_TOPIC_STR_LENGTH))
        if not rows:
            return _Name(0, 0)
        return _Name(rows[0].selector, rows[0].max_length)

    def _take_connection(self) -> str:
        """CONN as MQSC has it: hexadecimal digits of the last 8 of 24 bytes, with an asterisk where they begin so."""
        generic = self._given.pop(C.MQBACF_GENERIC_CONNECTION_ID, None) if self._spec.shows else None
        given = self._given.pop(C.MQBACF_CONNECTION_ID, None)
        if generic is not None and given is not None:
            raise BadPCF(C.MQRCCF_PARM_CONFLICT, "give one connection, or those that begin alike", generic.Parameter)
        one = generic if given is None else given
        if one is None:
            raise self._missing(C.MQBACF_CONNECTION_ID)
        if not isinstance(one, MQCFBS):
            raise unknown_parameter(one, self._words)
        if len(one.String) > C.MQ_CONNECTION_ID_LENGTH:
            raise BadPCF(C.MQRCCF_CFBS_STRING_LENGTH_ERR, "a connection identifier has 24 bytes", one.Parameter)
        outside = external_name(self._definitions.qmgr.name)
        start, rest = one.String[: len(outside)], one.String[len(outside) :]
        if generic is None:
            if len(one.String) != C.MQ_CONNECTION_ID_LENGTH or start != outside:
                raise BadPCF(C.MQRCCF_CONNECTION_ID_ERROR, "no connection has this identifier", one.Parameter)
            return rest.hex().upper()
        if not one.String.strip(b"\0"):
            return "*"
        if not outside.startswith(start):
            raise BadPCF(C.MQRCCF_CONNECTION_ID_ERROR, "no connection identifier begins so", one.Parameter)
        return rest.hex().upper() + "*"

    # What is asked for

    def _take_requested(self) -> tuple[str, ...]:
        spec = self._spec
        if not spec.shows:
            return ()
        rows = command_lookup.attributes(spec.table)
        given = self._given.pop(spec.list_selector, None) if spec.list_selector else None
        if self._code in NAMES_ONLY:
            if given is not None:
                raise unknown_parameter(given, self._words)
            return (rows[0].keyword,)
        if given is None:
            return (ALL,)
        if not isinstance(given, MQCFIL | MQCFIN):
            raise unknown_parameter(given, self._words)
        values = given.Values if isinstance(given, MQCFIL) else (given.Value,)
        if len(set(values)) != len(values):
            twice = next(value for value in values if list(values).count(value) > 1)
            raise BadPCF(C.MQRCCF_CFIL_DUPLICATE_VALUE, f"{twice} is asked for twice", twice, about=C.MQIACF_SELECTOR)
        known = {row.selector: row.keyword for row in reversed(rows) if row.selector > 0}
        requested: list[str] = []
        for value in values:
            word = _GROUPS.get(value)
            if word != ALL and word not in spec.groups:
                word = known.get(value)
            if word is None:
                raise BadPCF(
                    C.MQRC_SELECTOR_ERROR, f"{self._words} shows no attribute {value}", value, about=C.MQIACF_SELECTOR
                )
            requested.append(word)
        return tuple(requested) or (ALL,)

    def _where(self) -> Filter | None:
        if not self._filters:
            return None
        one = self._filters[0]
        if not self._spec.shows or self._code in NAMES_ONLY:
            raise unknown_parameter(one, self._words)
        if len(self._filters) > 1:
            raise BadPCF(C.MQRCCF_TOO_MANY_FILTERS, "a command takes one filter", self._filters[1].Parameter)
        rows = command_lookup.attributes(self._spec.table)
        row = next((row for row in rows if row.selector == one.Parameter), None)
        if row is None or row.kind not in _KINDS[type(one)]:
            raise unknown_parameter(one, self._words)
        is_list = row.kind in (Kind.ENUM_LIST, Kind.NAME_LIST, Kind.TEXT_LIST)
        operators: tuple[int, ...]
        value: GivenValue
        if isinstance(one, MQCFSF):
            operators = _TEXT_LIST_OPERATORS if is_list else _TEXT_OPERATORS
            wrong, value = C.MQRCCF_CFSF_OPERATOR_ERROR, clean_text(one.FilterValue)
        elif isinstance(one, MQCFIF):
            operators = _LIST_OPERATORS if is_list else _INTEGER_OPERATORS
            wrong, value = C.MQRCCF_CFIF_OPERATOR_ERROR, one.FilterValue
        else:
            operators, wrong, value = _INTEGER_OPERATORS, C.MQRCCF_CFBF_OPERATOR_ERROR, one.FilterValue
        if one.Operator not in operators:
            raise BadPCF(wrong, f"operator {one.Operator} is not one for {row.keyword}", one.Parameter)
        return Filter(row.keyword, one.Operator, value)

    # The other parameters

    def _known(self) -> dict[int, Attribute]:
        """What may be given beside the name and the list of attributes, by id."""
        spec = self._spec
        if spec.takes_attributes or spec.object == "CHLAUTH":  # which are found by what they match
            known = command_lookup.by_selector(spec)
            if spec.verb == "DEFINE" and not self._is_copy:
                # A new object that is like another one is a COPY here
                known = {selector: row for selector, row in known.items() if row is not spec.options[0]}
            return known
        return {row.selector: row for row in spec.options}

    def _checked(self, row: Attribute, one: PCFParameter, name: str) -> GivenValue:
        value = self._value(row, one)
        try:
            convert(row, value, name)  # the executor does it too, but does not know the id of the parameter
        except MQError as error:
            raise BadPCF(error.reason, error.detail, one.Parameter) from error
        return value

    def _value(self, row: Attribute, one: PCFParameter) -> GivenValue:
        if isinstance(one, MQCFBS) and row.kind is Kind.STRING and _is_byte_string(row.selector):
            return one.String.hex().upper()
        if row.kind not in _KINDS.get(type(one), ()) or (isinstance(one, MQCFST) and _is_byte_string(row.selector)):
            raise unknown_parameter(one, self._words)
        if isinstance(one, MQCFIN | MQCFIN64):
            return _auth_options(one.Value) if row.selector == C.MQIACF_AUTH_OPTIONS else one.Value
        if isinstance(one, MQCFIL | MQCFIL64):
            return tuple(one.Values)
        if isinstance(one, MQCFSL):
            return tuple(clean_text(text) for text in one.Strings)
        if isinstance(one, MQCFST):
            text = clean_text(one.String)
            return (text,) if row.kind in (Kind.NAME_LIST, Kind.TEXT_LIST) and text else text
        assert isinstance(one, MQCFBS)
        return one.String

    def _check_required(self, known: dict[int, Attribute], parameters: dict[str, GivenValue]) -> None:
        for keyword in self._spec.required:
            if keyword not in parameters:
                selector = next((number for number, row in known.items() if row.keyword == keyword), 0)
                raise self._missing(selector)

    def _missing(self, selector: int) -> BadPCF:
        return BadPCF(C.MQRCCF_PARM_COUNT_TOO_SMALL, f"{self._words} needs parameter {selector}", selector)


def _is_byte_string(selector: int) -> bool:
    return C.MQBACF_FIRST <= selector <= C.MQBACF_LAST_USED


def _auth_options(options: int) -> int:
    """Inquire Authority Records has options where MQSC has one word: MATCH(PROFILE), MATCH(MEMBER) or MATCH(EXACT)."""
    known = (
        C.MQAUTHOPT_ENTITY_EXPLICIT | C.MQAUTHOPT_ENTITY_SET | C.MQAUTHOPT_NAME_EXPLICIT | C.MQAUTHOPT_NAME_ALL_MATCHING
        | C.MQAUTHOPT_NAME_AS_WILDCARD | C.MQAUTHOPT_CUMULATIVE | C.MQAUTHOPT_EXCLUDE_TEMP
    )  # fmt: skip
    if options & ~known:
        raise BadPCF(C.MQRCCF_CFIN_PARM_ID_ERROR, f"unknown options {options & ~known:#x}", C.MQIACF_AUTH_OPTIONS)
    if options & C.MQAUTHOPT_ENTITY_SET:
        return C.MQAUTHOPT_ENTITY_SET
    return C.MQAUTHOPT_NAME_EXPLICIT if options & C.MQAUTHOPT_NAME_EXPLICIT else C.MQAUTHOPT_NAME_ALL_MATCHING
