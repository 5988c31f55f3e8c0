"""What a Queue object stands for: the name and the ways in which it is opened, without a connection.

The blocking and the asyncio Queue share it: arguments are checked here, and become the structures of MQOPEN, MQINQ and
MQSET.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from libremq.client import options as opt
from libremq.client.options import Data
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attributes import convert as convert_attribute
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.structs import MQOD

_serials = itertools.count(1)
_CONTEXT = C.MQOO_PASS_IDENTITY_CONTEXT | C.MQOO_PASS_ALL_CONTEXT | C.MQOO_SET_IDENTITY_CONTEXT | C.MQOO_SET_ALL_CONTEXT
_BIND = C.MQOO_BIND_ON_OPEN | C.MQOO_BIND_NOT_FIXED | C.MQOO_BIND_ON_GROUP
_ALWAYS = C.MQOO_ALTERNATE_USER_AUTHORITY | C.MQOO_FAIL_IF_QUIESCING
# Which of the open options that a caller gives belong to which kind of handle
_BELONGS = {
    C.MQOO_OUTPUT: _CONTEXT | _BIND | _ALWAYS | C.MQOO_RESOLVE_LOCAL_Q,
    C.MQOO_INPUT_AS_Q_DEF: C.MQOO_SAVE_ALL_CONTEXT | C.MQOO_READ_AHEAD | C.MQOO_NO_READ_AHEAD | _ALWAYS,
    C.MQOO_BROWSE: C.MQOO_CO_OP | C.MQOO_READ_AHEAD | C.MQOO_NO_READ_AHEAD | _ALWAYS,
    C.MQOO_INQUIRE: _ALWAYS,
    C.MQOO_SET: _ALWAYS,
}
MODES = {
    "output": C.MQOO_OUTPUT,
    "input": C.MQOO_INPUT_AS_Q_DEF,
    "browse": C.MQOO_BROWSE,
    "inquire": C.MQOO_INQUIRE,
    "set": C.MQOO_SET,
}
_OPTIONS = 0
for _mode in _BELONGS.values():
    _OPTIONS |= _mode


class QueueTarget:
    """The part of a Queue that needs no connection."""

    def __init__(
        self,
        name: str,
        *,
        manager_name: str = "",
        exclusive: bool | None = None,
        selector: str | None = None,
        open_options: int = 0,
        alternate_user: str = "",
        dynamic_name: str = "AMQ.*",
    ) -> None:
        if not isinstance(name, str):
            raise wrong_type(C.MQRC_UNKNOWN_OBJECT_NAME, "", f"the name of a queue is a str, not {name!r}")
        opt.text("manager", manager_name, C.MQRC_UNKNOWN_OBJECT_Q_MGR, name)
        opt.text("alternate_user", alternate_user, C.MQRC_OD_ERROR, name)
        opt.text("the name of a dynamic queue", dynamic_name, C.MQRC_DYNAMIC_Q_NAME_ERROR, name)
        if selector is not None:
            opt.text("selector", selector, C.MQRC_SELECTION_STRING_ERROR, name)
        if exclusive is not None and not isinstance(exclusive, bool):
            raise wrong_type(C.MQRC_OPTIONS_ERROR, name, f"exclusive is True, False or None, not {exclusive!r}")
        if not isinstance(open_options, int):
            raise wrong_type(C.MQRC_OPTIONS_ERROR, name, f"open_options is a sum of MQOO_*, not {open_options!r}")
        if open_options & ~_OPTIONS:
            raise bad_value(
                C.MQRC_OPTIONS_ERROR,
                name,
                "open_options takes what goes with an access, such as MQOO_SET_ALL_CONTEXT; the access itself is "
                "chosen by what is called, exclusive input with exclusive=True",
            )
        if alternate_user:
            open_options |= C.MQOO_ALTERNATE_USER_AUTHORITY
        self._name = name
        self._manager_name = manager_name
        self._exclusive = exclusive
        self._selector = selector
        self._open_options = open_options | C.MQOO_FAIL_IF_QUIESCING
        self._alternate_user = alternate_user
        self._dynamic_name = dynamic_name
        self._serial = next(_serials)

    @property
    def name(self) -> str:
        """Its name; of a dynamic queue the one it was given when it was made."""
        return self._name

    def _to_open(self, mode: int, more: int = 0) -> tuple[MQOD, int]:
        """Descriptor and options of MQOPEN."""
        options = more | self._open_options & _BELONGS[mode]
        options |= self._input_option() if mode == C.MQOO_INPUT_AS_Q_DEF else mode
        if more & C.MQOO_NO_READ_AHEAD:
            options &= ~C.MQOO_READ_AHEAD
        od = MQOD(
            Version=C.MQOD_VERSION_4,
            ObjectName=self._name,
            ObjectQMgrName=self._manager_name,
            DynamicQName=self._dynamic_name,
            AlternateUserId=self._alternate_user,
        )
        if self._selector is not None and mode in (C.MQOO_INPUT_AS_Q_DEF, C.MQOO_BROWSE):
            od.SelectionString = self._selector
        return od, options

    def _input_option(self) -> int:
        if self._exclusive is None:
            return C.MQOO_INPUT_AS_Q_DEF
        return C.MQOO_INPUT_EXCLUSIVE if self._exclusive else C.MQOO_INPUT_SHARED

    def _mode(self, mode: str) -> int:
        if not isinstance(mode, str) or mode not in MODES:
            raise bad_value(C.MQRC_OPTIONS_ERROR, self._name, f"{mode!r} is not a mode; use {', '.join(MODES)}")
        return MODES[mode]

    def _selector_of(self, name: int | str) -> int:
        """The selector of an attribute, by MQSC keyword or as it is."""
        if isinstance(name, int):
            return name
        opt.text("an attribute", name, C.MQRC_SELECTOR_ERROR, self._name)
        for kind in ("QLOCAL", "QALIAS", "QREMOTE"):
            row = TABLES[kind].by_keyword.get(name.upper())
            if row is not None:
                return row.selector
        raise bad_value(C.MQRC_SELECTOR_ERROR, self._name, f"{name} is not an attribute of a queue")

    def _values_to_set(self, attributes: Mapping[str, int | str]) -> dict[int, int | str]:
        """The values of MQSET by selector."""
        values: dict[int, int | str] = {}
        for keyword, value in attributes.items():
            row = TABLES["QLOCAL"].by_keyword.get(keyword.upper())
            if row is None:
                raise bad_value(C.MQRC_SELECTOR_ERROR, self._name, f"{keyword} is not an attribute of a queue")
            given = convert_attribute(row, value, self._name)
            assert isinstance(given, int | str)
            values[row.selector] = given
        return values

    def _several(self, messages: Iterable[Data], what: str) -> list[Data]:
        """The messages as a list, if they are several and not one."""
        if isinstance(messages, str | bytes | bytearray | memoryview) or not isinstance(messages, Iterable):
            raise wrong_type(C.MQRC_BUFFER_ERROR, self._name, f"{what}, not {type(messages).__name__}")
        return list(messages)

    def _check_count(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int):
            raise wrong_type(C.MQRC_OPTIONS_ERROR, self._name, f"count is an int, not {count!r}")
        if count < 1:
            raise bad_value(C.MQRC_OPTIONS_ERROR, self._name, f"count is {count}; at least one message is asked for")
