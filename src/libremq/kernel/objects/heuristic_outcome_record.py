"""What an administrator has decided of a branch, as its transaction manager did not: a heuristic outcome.

It is kept until the transaction manager has heard of it and forgets the branch (or rsvmqtrn -f does). The record is an
object of the catalogue, as the states of channels are, so that it outlives the queue manager; no command defines it.
"""

from __future__ import annotations

from typing import Self

from libremq.kernel.objects.attribute_rows import NO_SELECTOR, choice, number, text
from libremq.kernel.objects.attributes import AttributeTable, Value
from libremq.kernel.objects.object_base import new_object
from libremq.kernel.objects.security_records import KeyedRecord
from libremq.mqi import constants as mq
from libremq.mqi.errors import mq_error
from libremq.mqi.xid import XID_BYTES_MAX

BACKED_OUT, COMMITTED = 0, 1
_WORDS = {"BACKEDOUT": BACKED_OUT, "COMMITTED": COMMITTED}
_OWNER_BYTES_MAX = 255
_ROWS = (
    text("XID", NO_SELECTOR, 2 * XID_BYTES_MAX, "of the branch, in hexadecimal"),
    choice("OUTCOME", NO_SELECTOR, BACKED_OUT, _WORDS, "what was decided"),
    number("TRAN", NO_SELECTOR, 0, 0, 2**63 - 1, "number of the transaction, as dspmqtrn shows it"),
    text("OWNER", NO_SELECTOR, _OWNER_BYTES_MAX, "the user that began the branch; blank: not known"),
)


class HeuristicOutcome(KeyedRecord):
    """That a branch was committed or backed out without its transaction manager."""

    kind = "XAHEUR"
    object_type = mq.MQOT_NONE
    table = AttributeTable("XAHEUR", _ROWS)

    xid: str
    outcome: int
    tran: int
    owner: str

    @property
    def key(self) -> str:
        return self.xid

    @property
    def is_committed(self) -> bool:
        return self.outcome == COMMITTED

    @classmethod
    def make(cls, xid: bytes, transaction: int, owner: str, *, committed: bool) -> Self:
        values: dict[str, Value] = {
            "xid": xid.hex(),
            "outcome": COMMITTED if committed else BACKED_OUT,
            "tran": transaction,
            "owner": owner,
        }
        return new_object(cls, xid.hex(), values)

    def check(self) -> None:
        super().check()
        try:
            known = 0 < len(bytes.fromhex(self.xid)) <= XID_BYTES_MAX and self.outcome in _WORDS.values()
        except ValueError:
            known = False
        if not known:
            raise mq_error(mq.MQRCCF_ATTR_VALUE_ERROR, self.xid[:40], "no outcome can be kept of such a branch")
