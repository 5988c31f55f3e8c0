"""Starting and stopping channels: rate and CPU by the number of channels known, and time to bring all of them back.

Fitted to sender channels of MQ 9.3 on 3931-703 with 1,000, 2,000 and 4,000 channels in the synchronisation queue
[L4313-L4321].
"""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, Word, looked_up, ratio
from libremq.pipeline.models.registry import model

SSLCIPH_START_SHARE = 0.40
AT_TLS_START_SHARE_MIN = 0.70
AT_TLS_START_SHARE_MAX = 0.80

STOP_CHINIT_US = {"none": 340.0, "at-tls": 340.0, "sslciph": 450.0}
"""CPU of the channel initiator; 440 to 450 with SSLCIPH [L4829-L4837]."""
STOP_TCPIP_US_MAX = {"none": 15.0, "at-tls": 60.0}
"""CPU of TCP/IP: 10 to 15 plain, 30 to 60 with AT-TLS."""
START_TCPIP_US = {"none": 10.0, "tls12": 100.0, "tls13 hardware": 205.0, "tls13 software": 245.0}
"""CPU of TCP/IP for a start, AT-TLS without crypto hardware [L4821-L4825]."""


@model("channel_start", "R-86", "L4313-L4321", "ms", derived=True)
def channel_start_cpu_ms(
    known_channels: Quantity, base_ms: Quantity = 0.165, ms_per_channel: Quantity = 5.36e-5
) -> Any:
    """What CPU does one start take, by the channels in the synchronisation queue? [L4313] R-86, T-13."""
    return base_ms + ms_per_channel * known_channels


@model("channel_start", "R-86", "L4313-L4321", "ms", derived=True)
def channel_stop_cpu_ms(known_channels: Quantity, base_ms: Quantity = 0.18, ms_per_channel: Quantity = 3.71e-5) -> Any:
    """What CPU does one stop take? [L4313] R-86, T-13."""
    return base_ms + ms_per_channel * known_channels


@model("channel_start", "R-86", "L4313-L4321", "ms", derived=True)
def channel_start_elapsed_ms(
    known_channels: Quantity, base_ms: Quantity = 1.278, ms_per_channel: Quantity = 2.65e-4
) -> Any:
    """How long does one start take while many start? [L4313] R-86, T-13."""
    return base_ms + ms_per_channel * known_channels


@model("channel_start", "R-86", "L4313-L4321", "starts/s", derived=True)
def channel_starts_per_second(known_channels: Quantity) -> Any:
    """How many channels without TLS start in a second? [L4313] R-86, T-13."""
    return ratio(1000.0, channel_start_elapsed_ms(known_channels))


@model("channel_start", "R-87", "L4313-L4351", "seconds", derived=True)
def channels_start_seconds(channels: Quantity, starts_per_second: Quantity) -> Any:
    """How long until all channels are back after the channel initiator failed? [L4313] R-87."""
    return ratio(1.0 * channels, starts_per_second)


@model("channel_start", "R-88", "L4803-L4804", "starts/s")
def sslciph_starts_per_second(plain_starts_per_second: Quantity, share: Quantity = SSLCIPH_START_SHARE) -> Any:
    """How many start with SSLCIPH, given the rate without security? [L4803] R-88."""
    return plain_starts_per_second * share


@model("channel_start", "R-88", "L4803-L4804", "starts/s")
def at_tls_starts_per_second_min(plain_starts_per_second: Quantity, share: Quantity = AT_TLS_START_SHARE_MIN) -> Any:
    """How many start at least with AT-TLS, given the rate without security? [L4804] R-88."""
    return plain_starts_per_second * share


@model("channel_start", "R-88", "L4803-L4804", "starts/s")
def at_tls_starts_per_second_max(plain_starts_per_second: Quantity, share: Quantity = AT_TLS_START_SHARE_MAX) -> Any:
    """How many start at most with AT-TLS, given the rate without security? [L4804] R-88."""
    return plain_starts_per_second * share


@model("channel_start", "R-96", "L4503, L4829-L4837", "us")
def channel_stop_chinit_us(security: Word) -> Any:
    """What CPU does a stop take in the channel initiator: "none", "at-tls" or "sslciph"? [L4829] R-96."""
    return looked_up(security, STOP_CHINIT_US)


@model("channel_start", "R-96", "L4829-L4837", "us")
def channel_stop_tcpip_us_max(security: Word) -> Any:
    """What CPU may a stop take in TCP/IP: "none" or "at-tls"? [L4834] R-96."""
    return looked_up(security, STOP_TCPIP_US_MAX)


@model("channel_start", "T-21", "L4821-L4823", "us")
def channel_start_tcpip_us(protocol: Word) -> Any:
    """What CPU does a start take in TCP/IP: "none", "tls12", "tls13 hardware", "tls13 software"? [L4821] T-21."""
    return looked_up(protocol, START_TCPIP_US)
