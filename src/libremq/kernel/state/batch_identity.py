"""What a batch of a message channel is called: in the XID under which it is in doubt, in its sync record, in words."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from libremq.kernel.objects.channel_sync_record import SENDER, ChannelSync, sync_key
from libremq.kernel.state.unit_of_work import BATCH_XID

_XID = struct.Struct("<8sII")  # LUWID, first and last sequence number; behind the prefix, before the key


@dataclass(frozen=True, slots=True)
class BatchIdentity:
    """What a batch is called, here and in the XID under which it is in doubt."""

    channel: str
    partner: str
    xmitq: str
    luwid: str  # 16 hexadecimal digits, in lower case
    first: int  # sequence number of the first message
    last: int  # of the last one; lower than the first where the numbers wrapped, or nothing was sent yet
    role: str = SENDER

    @property
    def key(self) -> str:
        """That of the sync record of the channel."""
        return sync_key(self.role, self.channel, self.partner, self.xmitq)

    @property
    def xid(self) -> bytes:
        return BATCH_XID + _XID.pack(bytes.fromhex(self.luwid), self.first, self.last) + self.key.encode("ascii")

    @classmethod
    def of_xid(cls, xid: bytes) -> BatchIdentity:
        luwid, first, last = _XID.unpack_from(xid, len(BATCH_XID))
        role, channel, partner, *xmitq = xid[len(BATCH_XID) + _XID.size :].decode("ascii").split(" ")
        return cls(channel, partner, "".join(xmitq), luwid.hex(), first, last, role)

    @property
    def words(self) -> str:
        """What an operator has to know of it."""
        return f"batch {self.luwid.upper()}, which went to {self.partner}, waits for an answer"

    def sync(self, conname: str, now: float, *, fresh: bool = False) -> ChannelSync:
        """The sync record that the commit of the batch writes."""
        return ChannelSync.make(
            self.role, self.channel, self.partner, self.xmitq,
            luwid=self.luwid, sequence=self.last, now=now, conname=conname, fresh=fresh,
        )  # fmt: skip
