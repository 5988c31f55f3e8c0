"""The state of a channel that outlives the queue manager: it was stopped, or waits to be tried again.

A channel without a record is inactive after a start, whatever it was doing before: triggers and commands start it. The
record is an object of the catalogue, as sync records are, so that checkpoints and backups have it, but no command
defines it.
"""

from __future__ import annotations

from typing import Self

from libremq.common.names.object_names import is_object_name
from libremq.kernel.objects.attribute_rows import choice, name, number
from libremq.kernel.objects.attributes import AttributeTable, Value
from libremq.kernel.objects.object_base import new_object
from libremq.kernel.objects.security_records import KeyedRecord
from libremq.mqi import constants as mq
from libremq.mqi.errors import mq_error

RETRIES_MAX = 999_999_999

_KEPT = {"RETRYING": mq.MQCHS_RETRYING, "STOPPED": mq.MQCHS_STOPPED}
# The keywords are those of DISPLAY CHSTATUS
_ROWS = (
    name("CHANNEL", mq.MQCACH_CHANNEL_NAME, mq.MQ_CHANNEL_NAME_LENGTH, "name of the channel"),
    choice("STATUS", mq.MQIACH_CHANNEL_STATUS, mq.MQCHS_STOPPED, _KEPT, "what the channel is when nothing runs"),
    number(
        "SHORTRTS", mq.MQIACH_SHORT_RETRIES_LEFT, 0, 0, RETRIES_MAX, "short retries that are left",
        python_name="short_retries",
    ),
    number(
        "LONGRTS", mq.MQIACH_LONG_RETRIES_LEFT, 0, 0, RETRIES_MAX, "long retries that are left",
        python_name="long_retries",
    ),
)  # fmt: skip


class ChannelState(KeyedRecord):
    """That a channel is stopped, or is to be tried again."""

    kind = "CHSTATE"
    object_type = mq.MQOT_CHANNEL
    table = AttributeTable("CHSTATE", _ROWS)

    channel: str
    status: int  # MQCHS_STOPPED or MQCHS_RETRYING
    short_retries: int  # left, also if it is stopped
    long_retries: int

    @property
    def key(self) -> str:
        return self.channel

    @classmethod
    def make(cls, channel: str, status: int, short_retries: int = 0, long_retries: int = 0) -> Self:
        values: dict[str, Value] = {
            "channel": channel,
            "status": status,
            "short_retries": short_retries,
            "long_retries": long_retries,
        }
        return new_object(cls, channel, values)

    def check(self) -> None:
        super().check()
        retries = (self.short_retries, self.long_retries)
        if not (
            is_object_name(self.channel)
            and len(self.channel) <= mq.MQ_CHANNEL_NAME_LENGTH
            and self.status in _KEPT.values()
            and all(0 <= left <= RETRIES_MAX for left in retries)
        ):
            raise mq_error(
                mq.MQRCCF_ATTR_VALUE_ERROR,
                self.channel[: mq.MQ_CHANNEL_NAME_LENGTH],
                f"no channel can be kept with STATUS({self.status}) and {retries} retries left",
            )
