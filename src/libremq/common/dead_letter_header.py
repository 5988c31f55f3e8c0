"""What stands in front of a message on a dead-letter queue, and how to take it off again."""

from __future__ import annotations

from libremq.common.ccsid import charset_of
from libremq.mqi import constants as C
from libremq.mqi.structs import MQDLH


def strip(data: bytes, ccsid: int = C.MQCCSI_Q_MGR, encoding: int = C.MQENC_NATIVE) -> tuple[MQDLH, bytes]:
    """The dead-letter header at the front of `data`, and the data as it was before. MQRC_DLH_ERROR if it has none.

    `ccsid` and `encoding` are those of the descriptor; the header says what is true of the rest.
    """
    big_endian = encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
    header = MQDLH.unpack(data, big_endian=big_endian, charset=charset_of(ccsid))
    return header, data[MQDLH.size() :]
