"""`pymqe`, the module under the package pymqi: the MQI with structures as bytes.

`__mqlevels__` says which versions of the structures the package packs; up to 8.0.1 it knows itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from libremq.compat import attribute_values, mqconn_calls, outcome, property_values
from libremq.compat.mqconn_calls import MQCONN
from libremq.compat.packed_structures import StructureError, check_data, check_numbers, check_size, name_of, read, text
from libremq.compat.property_values import MQSETMP
from libremq.compat.shared_verbs import (
    MQBACK,
    MQBEGIN,
    MQCLOSE,
    MQCMIT,
    MQCRTMH,
    MQDISC,
    MQGET,
    MQOPEN,
    MQPUT,
    MQPUT1,
    MQSUB,
    Ended,
)
from libremq.mqi import constants as C
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQCD, MQIMPO, MQPD, MQSCO

__all__ = [
    "MQBACK",
    "MQBEGIN",
    "MQCLOSE",
    "MQCMIT",
    "MQCONN",
    "MQCONNX",
    "MQCRTMH",
    "MQDISC",
    "MQGET",
    "MQINQ",
    "MQINQMP",
    "MQOPEN",
    "MQPUT",
    "MQPUT1",
    "MQSET",
    "MQSETMP",
    "MQSUB",
    "error",
    "mqaiExecute",
]

error = StructureError
globals()["pymqe.error"] = error  # the C module has it under this name

__version__ = "1.12.13"
__mqbuild__ = "client"
__mqlevels__ = ("5.0", "5.1", "5.2", "5.3", "6.0", "7.0", "7.1", "7.5", "8.0.0", "8.0.1")

_CD_SIZES = (MQCD.size(), 1988, MQCD.size(12))
"""pymqi packs version 12 without the padding at its end."""
_SCO_SIZES = (628, MQSCO.size(5), MQSCO.size())
"""Version 5, without the padding at its end and with it."""
_TEXT_MAX = 256


def MQCONNX(
    name: bytes, options: int, cd: bytes | None, user_password: Mapping[str, bytes], sco: bytes
) -> tuple[int, int, int]:
    """(hconn, cc, rc)."""
    queue_manager = name_of(name)
    check_numbers(options)
    cd_data = None if cd is None else check_size(cd, MQCD, *_CD_SIZES).ljust(MQCD.size(), b"\0")
    sco_data = check_size(sco, MQSCO, *_SCO_SIZES).ljust(MQSCO.size(), b"\0")

    def call() -> int:
        request = mqconn_calls.Request(
            queue_manager,
            options,
            cd=None if cd_data is None else read(MQCD, cd_data),
            sco=read(MQSCO, sco_data),
            user=text(user_password.get("user", b"")),
            password=text(user_password.get("password", b"")),
        )
        return mqconn_calls.connect(request)

    return outcome.run(call, C.MQHC_UNUSABLE_HCONN)


def MQINQ(hconn: int, hobj: int, selector: int) -> tuple[int | bytes | None, int, int]:
    """(value, cc, rc): an int, or text that is padded to the length of its attribute."""
    check_numbers(hconn, hobj, selector)

    def call() -> tuple[int | bytes, Ended]:
        integers, characters, warning = attribute_values.inquire(hconn, hobj, [selector])
        value = integers[0] if integers else characters[:_TEXT_MAX].partition(b"\0")[0]
        return value, outcome.of_reason(warning)

    empty: int | bytes = 0 if attribute_values.is_integer(selector) else b""
    (value, warning), comp_code, reason = outcome.run(call, (empty, outcome.OK))
    return (value, comp_code, reason) if comp_code else (value, *warning)


def MQSET(hconn: int, hobj: int, selector: int, value: int | bytes) -> Ended:
    """(cc, rc)."""
    check_numbers(hconn, hobj, selector)
    integers, characters = ([value], b"") if isinstance(value, int) else ([], check_data(value))
    return outcome.of(lambda: attribute_values.set_values(hconn, hobj, [selector], integers, characters))


def MQINQMP(
    hconn: int, hmsg: int, options: int, name: bytes, pd_options: int, type: int, length: int
) -> tuple[PropertyValue, int, int, int]:
    """(value, data length, cc, rc)."""
    wanted = text(name)
    check_numbers(hconn, hmsg, options, pd_options, type, length)
    impo, pd = MQIMPO(Options=options), MQPD(Options=pd_options)
    found = property_values.inquire(hconn, hmsg, impo, wanted, pd, type, length)
    return found.value, found.data_length, found.comp_code, found.reason


def mqaiExecute(
    hconn: int, command: int, arguments: Mapping[int, object], filters: list[object]
) -> tuple[list[dict[int, object]], int, int]:
    """The MQAI way to a PCF command, which pymqi itself no longer goes: it sends messages."""
    check_numbers(hconn, command)
    return [], C.MQCC_FAILED, C.MQRC_FUNCTION_NOT_SUPPORTED
