"""`ibmmqc`, the module under the package ibmmq 2.x: the MQI with structures as bytes.

Its version is that of the package, which refuses any other. `__strucversions__` says how long the structures are
that the package packs: those of the latest versions that LibreMQ knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata

from libremq.compat import (
    attribute_values,
    callbacks,
    connection_handles,
    mqconn_calls,
    outcome,
    property_values,
    shared_verbs,
)
from libremq.compat.callbacks import MQCB, MQCBINIT, MQCTL
from libremq.compat.mqconn_calls import MQCONN
from libremq.compat.packed_structures import (
    StructureError,
    bytes_at,
    check_data,
    check_numbers,
    check_size,
    name_of,
    read,
    text,
    write,
)
from libremq.compat.property_values import MQSETMP
from libremq.compat.shared_verbs import (
    MQBACK,
    MQBEGIN,
    MQCLOSE,
    MQCMIT,
    MQCRTMH,
    MQGET,
    MQOPEN,
    MQPUT,
    MQPUT1,
    MQSUB,
    Ended,
)
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQBNO, MQCD, MQCNO, MQCSP, MQDMHO, MQDMPO, MQIMPO, MQPD, MQSCO, MQSRO, MQSTS

__all__ = [
    "MQBACK",
    "MQBEGIN",
    "MQCB",
    "MQCBINIT",
    "MQCLOSE",
    "MQCMIT",
    "MQCONN",
    "MQCONNX",
    "MQCRTMH",
    "MQCTL",
    "MQDISC",
    "MQDLTMH",
    "MQDLTMP",
    "MQGET",
    "MQINQ",
    "MQINQMP",
    "MQLOGCF",
    "MQOPEN",
    "MQPUT",
    "MQPUT1",
    "MQSET",
    "MQSETMP",
    "MQSTAT",
    "MQSUB",
    "MQSUBRQ",
    "error",
]

error = StructureError
globals()["ibmmqc.error"] = error  # the C module has it under this name

try:
    __version__ = metadata.version("ibmmq")
except metadata.PackageNotFoundError:
    __version__ = "2.1.2"
__mqbuild__ = "common"
__cmdlevel__ = 1001
__strucversions__ = {
    "bno": 1, "cbc": 2, "cbd": 1, "cd": 13, "cfh": 3, "cih": 2, "cmho": 1, "cno": 8, "csp": 3, "ctlo": 1, "dlh": 1,
    "dmho": 1, "dmpo": 1, "gmo": 4, "iih": 1, "impo": 1, "md": 2, "mde": 2, "od": 4, "pd": 1, "pmo": 3, "sco": 7,
    "sd": 1, "smpo": 1, "sro": 1, "sts": 2, "tm": 1, "tmc": 2, "xqh": 1,
}  # fmt: skip


def MQCONNX(
    name: bytes, cno: bytes, cd: bytes | None, csp: bytes | None, sco: bytes | None, bno: bytes | None
) -> tuple[int, int, int]:
    """(hconn, cc, rc). The structures that the MQCNO would point at come beside it."""
    queue_manager, cno_data = name_of(name), check_size(cno, MQCNO)
    cd_data = None if cd is None else check_size(cd, MQCD)
    csp_data = None if csp is None else check_size(csp, MQCSP)
    sco_data = None if sco is None else check_size(sco, MQSCO)
    bno_data = None if bno is None else check_size(bno, MQBNO)

    def call() -> int:
        options = read(MQCNO, _lifted(cno_data))
        user, password = ("", "") if csp_data is None else mqconn_calls.credentials(read(MQCSP, csp_data))
        if bno_data is not None:
            read(MQBNO, bno_data)  # how a cluster may move the application: checked, there is nothing to do for one
        request = mqconn_calls.Request(
            queue_manager,
            options.Options,
            cd=None if cd_data is None else read(MQCD, cd_data),
            sco=None if sco_data is None else read(MQSCO, sco_data),
            user=user,
            password=password,
            application=options.ApplName,
            table=bytes_at(options.CCDTUrlPtr, options.CCDTUrlLength).decode("utf-8", "replace"),
        )
        return mqconn_calls.connect(request)

    return outcome.run(call, C.MQHC_UNUSABLE_HCONN)


def _lifted(cno: bytes) -> bytes:
    """An MQCNO of the latest version: the fields behind an older one are there, and empty if not meant."""
    version = int.from_bytes(cno[4:8], "little", signed=True)
    if not 1 <= version <= C.MQCNO_CURRENT_VERSION:
        raise mq_error(C.MQRC_CNO_ERROR, detail=f"MQCNO version {version} is not known")
    return cno[:4] + C.MQCNO_CURRENT_VERSION.to_bytes(4, "little") + cno[8:]


def MQDISC(hconn: int) -> Ended:
    """(cc, rc). Its consumers go with the connection."""
    ended = shared_verbs.MQDISC(hconn)
    callbacks.forget_connection(hconn)
    return ended


def MQINQ(
    hconn: int,
    hobj: int,
    selectors: Sequence[int],
    integers: Sequence[int],
    integer_count: int,
    character_count: int,
    character_length: int,
) -> tuple[list[int], bytes | None, int, int]:
    """(integers, text, cc, rc). The text has exactly the length that was asked for, None if that is 0."""
    check_numbers(hconn, hobj, integer_count, character_count, character_length, *selectors)

    def call() -> tuple[list[int], bytes | None, Ended]:
        numbers, characters, warning = attribute_values.inquire(hconn, hobj, selectors)
        ended = outcome.of_reason(warning)
        if len(characters) > character_length:
            ended = C.MQCC_WARNING, C.MQRC_CHAR_ATTRS_TOO_SHORT
        elif len(numbers) > integer_count:
            ended = C.MQCC_WARNING, C.MQRC_INT_ATTR_COUNT_TOO_SMALL
        shown = characters[:character_length].ljust(character_length) if character_length else None
        return numbers[:integer_count], shown, ended

    failed: tuple[list[int], bytes | None, Ended] = [], None, outcome.OK
    (numbers, characters, warning), comp_code, reason = outcome.run(call, failed)
    comp_code, reason = (comp_code, reason) if comp_code else warning
    return numbers, characters, comp_code, reason


def MQSET(hconn: int, hobj: int, selectors: Sequence[int], integers: Sequence[int], characters: bytes) -> Ended:
    """(cc, rc)."""
    data = check_data(characters)
    check_numbers(hconn, hobj, *selectors, *integers)
    return outcome.of(lambda: attribute_values.set_values(hconn, hobj, selectors, integers, data))


def MQSUBRQ(hconn: int, hsub: int, action: int, sro: bytes) -> tuple[bytes, int, int]:
    """(sro, cc, rc)."""
    data = check_size(sro, MQSRO)
    check_numbers(hconn, hsub, action)

    def call() -> bytes:
        connection_handles.find(hconn).MQSUBRQ(hsub, action, read(MQSRO, data))

    return outcome.run(call, data)


def MQSTAT(hconn: int, type: int, sts: bytes) -> tuple[bytes, int, int]:
    """(sts, cc, rc)."""
    data = check_size(sts, MQSTS)
    check_numbers(hconn, type)

    def call() -> bytes:
        status = read(MQSTS, data)
        connection_handles.find(hconn).MQSTAT(type, status)
        return write(status, data)

    return outcome.run(call, data)


def MQDLTMH(hconn: int, hmsg: int, dmho: bytes) -> Ended:
    """(cc, rc)."""
    data = check_size(dmho, MQDMHO)
    check_numbers(hconn, hmsg)
    return outcome.of(lambda: connection_handles.find(hconn).MQDLTMH(hmsg, read(MQDMHO, data)))


def MQINQMP(
    hconn: int, hmsg: int, impo: bytes, name: bytes, pd: bytes, type: int, length: int
) -> tuple[PropertyValue, int, str | None, int, int]:
    """(value, data length, name, cc, rc). The name comes back only where the one asked for has a wildcard."""
    impo_data, pd_data, wanted = check_size(impo, MQIMPO), check_size(pd, MQPD), text(name)
    check_numbers(hconn, hmsg, type, length)
    structures, comp_code, reason = outcome.run(lambda: (read(MQIMPO, impo_data), read(MQPD, pd_data)), None)
    if structures is None:
        return None, 0, None, comp_code, reason
    found = property_values.inquire(hconn, hmsg, structures[0], wanted, structures[1], type, length)
    returned_name = found.name if "%" in wanted and found.name else None
    return found.value, found.data_length, returned_name, found.comp_code, found.reason


def MQDLTMP(hconn: int, hmsg: int, dmpo: bytes, name: bytes) -> Ended:
    """(cc, rc)."""
    data, wanted = check_size(dmpo, MQDMPO), text(name)
    check_numbers(hconn, hmsg)
    return outcome.of(lambda: connection_handles.find(hconn).MQDLTMP(hmsg, read(MQDMPO, data), wanted))


def MQLOGCF(options: int, filename: str = "") -> tuple[int]:
    """Tracing of the C module; there is none here, the logger `libremq.compat` of Python tells what failed."""
    return (0,)
