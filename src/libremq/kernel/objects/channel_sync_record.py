"""The sync record of a message channel: the last batch that one end has committed.

It is what two ends compare when they meet again, so that no message is lost or sent twice. There is one record for each
end, channel and partner (and transmission queue, at the sending end). It is an object of the catalogue, so that
checkpoints and backups have it, but no command defines it, and it is logged as a part of the COMMIT of the batch that
it speaks of.
"""

from __future__ import annotations

import re
from typing import Self

from libremq.common.names.object_names import is_object_name
from libremq.kernel.objects.attribute_rows import name, number, text
from libremq.kernel.objects.attributes import AttributeTable, Value
from libremq.kernel.objects.object_base import date_and_time, new_object
from libremq.kernel.objects.security_records import KeyedRecord
from libremq.mqi import constants as mq
from libremq.mqi.errors import mq_error

SENDER = "SENDER"
RECEIVER = "RECEIVER"
"""Which end: of a server or cluster-sender channel it is SENDER, of a requester or cluster-receiver RECEIVER."""

SEQUENCE_MAX = 999_999_999
NO_LUWID = "0" * 16
"""Nothing was committed yet, or a command has set the sequence number.

Such a record may lack the partner: then it is for the first one that comes.
"""

_LUWID = re.compile(r"[0-9a-f]{16}\Z")
_ROLES = (SENDER, RECEIVER)

# The keywords are those of DISPLAY CHSTATUS
_ROWS = (
    text("ROLE", 0, 8, "which end of the channel: SENDER or RECEIVER"),
    name("CHANNEL", mq.MQCACH_CHANNEL_NAME, mq.MQ_CHANNEL_NAME_LENGTH, "name of the channel"),
    name("RQMNAME", mq.MQCA_REMOTE_Q_MGR_NAME, mq.MQ_Q_MGR_NAME_LENGTH, "the other end", python_name="partner"),
    name("XMITQ", mq.MQCACH_XMIT_Q_NAME, mq.MQ_Q_NAME_LENGTH, "transmission queue of a sending end"),
    text("CONNAME", mq.MQCACH_CONNECTION_NAME, mq.MQ_CONN_NAME_LENGTH, "where the other end was"),
    text(
        "LSTLUWID", mq.MQCACH_LAST_LUWID, mq.MQ_LUWID_LENGTH, "identifier of the last batch", NO_LUWID,
        python_name="luwid",
    ),
    number(
        "LSTSEQNO", mq.MQIACH_LAST_SEQ_NUMBER, 0, 0, SEQUENCE_MAX, "sequence number of the last message in it",
        python_name="sequence",
    ),
    text("LSTMSGDA", mq.MQCACH_LAST_MSG_DATE, mq.MQ_CHANNEL_DATE_LENGTH, "date of the last batch", python_name="date"),
    text("LSTMSGTI", mq.MQCACH_LAST_MSG_TIME, mq.MQ_CHANNEL_TIME_LENGTH, "time of the last batch", python_name="time"),
    number(
        "RESETSEQ", mq.MQIACH_RESET_REQUESTED, 0, 0, SEQUENCE_MAX,
        "number that RESET CHANNEL has set, and the other end has still to follow; 0 if none", python_name="reset",
    ),
    number("FRESH", 0, 0, 0, 1, "1 if the other end has shown that it was there, and no recording"),
)  # fmt: skip


def sync_key(role: str, channel: str, partner: str, xmitq: str = "") -> str:
    """What tells one record from another. Names have no blanks, so this can be read in one way only."""
    return " ".join((role, channel, partner, xmitq) if xmitq else (role, channel, partner))


class ChannelSync(KeyedRecord):
    """The last batch that one end of a channel has committed."""

    kind = "CHSYNC"
    object_type = mq.MQOT_CHANNEL
    table = AttributeTable("CHSYNC", _ROWS)

    role: str  # SENDER or RECEIVER
    channel: str
    partner: str
    xmitq: str  # of a sender
    conname: str
    luwid: str  # 16 hexadecimal digits, in lower case
    sequence: int
    date: str
    time: str
    reset: int  # at a sending end
    fresh: int  # 1: the last batch went between ends that proved to each other that they were there

    @property
    def key(self) -> str:
        return sync_key(self.role, self.channel, self.partner, self.xmitq)

    @classmethod
    def make(
        cls,
        role: str,
        channel: str,
        partner: str,
        xmitq: str = "",
        *,
        luwid: str,
        sequence: int,
        now: float,
        conname: str = "",
        reset: int = 0,
        fresh: bool = False,
    ) -> Self:
        """A record of this moment. What a partner may have said is checked when the record is logged."""
        date, time = date_and_time(now)
        values: dict[str, Value] = {
            "role": role,
            "channel": channel,
            "partner": partner,
            "xmitq": xmitq,
            "conname": conname,
            "luwid": luwid.lower(),
            "sequence": sequence,
            "date": date,
            "time": time,
            "reset": reset,
            "fresh": int(fresh),
        }
        made = new_object(cls, "", values)
        made.name = made.key
        return made

    def check(self) -> None:
        super().check()
        wrong = [
            f"{keyword}({getattr(self, slot)!r})"
            for keyword, slot, good in (
                ("ROLE", "role", self.role in _ROLES),
                ("CHANNEL", "channel", _is_name(self.channel, mq.MQ_CHANNEL_NAME_LENGTH)),
                (
                    "RQMNAME", "partner",
                    _is_name(self.partner, mq.MQ_Q_MGR_NAME_LENGTH) or (not self.partner and self.luwid == NO_LUWID),
                ),
                (
                    "XMITQ", "xmitq",
                    _is_name(self.xmitq, mq.MQ_Q_NAME_LENGTH) if self.role == SENDER else self.xmitq == "",
                ),
                (
                    "CONNAME", "conname",
                    len(self.conname) <= mq.MQ_CONN_NAME_LENGTH
                    and self.conname.isascii()
                    and self.conname.isprintable(),
                ),
                ("LSTLUWID", "luwid", _LUWID.match(self.luwid) is not None),
                ("LSTSEQNO", "sequence", 0 <= self.sequence <= SEQUENCE_MAX),
            )
            if not good
        ]  # fmt: skip
        if wrong:
            raise mq_error(
                mq.MQRCCF_ATTR_VALUE_ERROR,
                self.channel[: mq.MQ_CHANNEL_NAME_LENGTH],
                f"the sync record of a channel cannot have {', '.join(wrong)[:500]}",
            )


def _is_name(value: str, length: int) -> bool:
    return is_object_name(value) and len(value) <= length
