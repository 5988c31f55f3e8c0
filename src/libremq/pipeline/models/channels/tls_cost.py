"""TLS on channels: what starting costs by cipher, what new keys cost, and what AT-TLS saves."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Flag, Quantity, Word, chosen, interpolated, looked_up, scaled
from libremq.pipeline.models.registry import model

# 4000 sender channels on 3931-703, Crypto Express 8S, certificates of 2048 bits, ICSF HCR77D1 [L4325-L4351]:
# CPU ms for a start, starts per second.
START_COSTS = {
    "TLS_CHACHA20_POLY1305_SHA256": (0.89, 168.6),
    "TLS_AES_256_GCM_SHA384": (0.81, 177.2),
    "TLS_AES_128_GCM_SHA256": (0.81, 177.1),
    "TLS_RSA_WITH_AES_256_GCM_SHA384": (0.73, 179.4),
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384": (1.47, 108.5),
    "TLS_RSA_WITH_AES_256_CBC_SHA256": (0.72, 187.3),
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384": (1.46, 101.2),
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384": (1.47, 109.7),
    "TLS_RSA_WITH_AES_128_GCM_SHA256": (0.73, 184.3),
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256": (1.48, 108.8),
    "TLS_RSA_WITH_AES_128_CBC_SHA256": (0.72, 177.1),
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256": (1.47, 102.3),
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256": (1.46, 109.6),
    "TLS_RSA_WITH_NULL_SHA256": (0.72, 177.4),
}
START_CPU_MS = {cipher: costs[0] for cipher, costs in START_COSTS.items()}
STARTS_PER_SECOND = {cipher: costs[1] for cipher, costs in START_COSTS.items()}

NEGOTIATED = {
    "ANY_TLS13_OR_HIGHER": "TLS_CHACHA20_POLY1305_SHA256",
    "ANY_TLS13": "TLS_CHACHA20_POLY1305_SHA256",
    "ANY_TLS12_OR_HIGHER": "TLS_CHACHA20_POLY1305_SHA256",
    "ANY_TLS12": "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "ANY": "TLS_CHACHA20_POLY1305_SHA256",
}
"""What each alias came to in the test [L4489-L4499]; the allowed list of ciphers changes it."""

START_FACTORS = {"none": 1.0, "tls12": 2.0, "tls13 hardware": 2.2, "tls13 software": 2.4}
AT_TLS_SAVING_MIN = {"tls12": 18.0, "tls13 hardware": 25.0, "tls13 software": 2.7}
AT_TLS_SAVING_MAX = {"tls12": 31.0, "tls13 hardware": 47.0, "tls13 software": 7.0}

# z16 3931-7K0, non-persistent request/reply, no new keys, cipher in software, by message KB [L4655-L4750].
SOFTWARE_CIPHER_MS = ((16.0, 1.2), (32.0, 2.3), (64.0, 4.8), (1024.0, 73.0))
SYSTEM_SSL_ROUND_TRIP_MS = ((2.0, 1.04), (16.0, 3.96), (32.0, 7.10), (64.0, 13.36), (1024.0, 202.47))
AT_TLS_ROUND_TRIP_MS = ((2.0, 1.00), (16.0, 3.83), (32.0, 7.01), (64.0, 13.90), (1024.0, 202.57))


@model("tls", "T-14", "L4325-L4351", "ms")
def tls_start_cpu_ms(cipher: Word) -> Any:
    """What CPU does a channel start take with a cipher, with crypto hardware? [L4329] T-14."""
    return looked_up(cipher, START_CPU_MS)


@model("tls", "T-14", "L4325-L4351", "starts/s")
def tls_starts_per_second(cipher: Word) -> Any:
    """How many channels start in a second with a cipher, 4000 of them, with crypto hardware? [L4329] T-14."""
    return looked_up(cipher, STARTS_PER_SECOND)


@model("tls", "T-15", "L4489-L4499", "cipher")
def cipher_of_alias(alias: Word) -> Any:
    """Which cipher does an alias come to between two queue managers that allow all? [L4489] T-15."""
    return looked_up(alias, NEGOTIATED)


@model("tls", "R-89", "L4814-L4817", "us")
def tls_start_chinit_us(plain_start_us: Quantity, protocol: Word) -> Any:
    """What does a start cost the channel initiator: "tls12", "tls13 hardware", "tls13 software"? [L4814] R-89."""
    return scaled(plain_start_us, looked_up(protocol, START_FACTORS))


@model("tls", "R-90", "L4521-L4528", "us")
def rekey_us(
    transaction_us_with_rekey: Quantity, transaction_us_without_rekey: Quantity, messages_per_negotiation: Quantity
) -> Any:
    """What does one negotiation of new keys cost, from a run with and one without? [L4521] R-90."""
    return (transaction_us_with_rekey - transaction_us_without_rekey) * messages_per_negotiation


@model("tls", "R-91", "L4428", "ms")
def negotiation_ms_min(crypto_hardware: Flag) -> Any:
    """What does a negotiation take at least, AES 256 GCM with RSA keys on z15? [L4428] R-91."""
    return chosen(crypto_hardware, 2.0, 70.0)


@model("tls", "R-91", "L4428", "ms")
def negotiation_ms_max(crypto_hardware: Flag) -> Any:
    """What does a negotiation take at most, AES 256 GCM with RSA keys on z15? [L4428] R-91."""
    return chosen(crypto_hardware, 7.0, 133.0)


@model("tls", "R-97", "L4731-L4735", "percent")
def at_tls_saving_pct_min(protocol: Word) -> Any:
    """Which share of transport CPU does AT-TLS save at least over SSLCIPH, z/OS to z/OS? [L4731] R-97."""
    return looked_up(protocol, AT_TLS_SAVING_MIN)


@model("tls", "R-97", "L4731-L4735", "percent")
def at_tls_saving_pct_max(protocol: Word) -> Any:
    """Which share of transport CPU does AT-TLS save at most over SSLCIPH, z/OS to z/OS? [L4731] R-97."""
    return looked_up(protocol, AT_TLS_SAVING_MAX)


@model("tls", "T-21", "L4655-L4750", "ms", derived=True)
def software_cipher_ms_per_transaction(message_kb: Quantity) -> Any:
    """What does CHACHA20 under AT-TLS cost the channel initiator, and TCP/IP as much again? [L4691] T-21."""
    return interpolated(message_kb, SOFTWARE_CIPHER_MS, level_below=True)


@model("tls", "T-21", "L4741-L4748", "ms", derived=True)
def system_ssl_round_trip_ms(message_kb: Quantity) -> Any:
    """How long does request and reply take with CHACHA20 and SSLCIPH? [L4741] T-21."""
    return interpolated(message_kb, SYSTEM_SSL_ROUND_TRIP_MS, level_below=True)


@model("tls", "T-21", "L4741-L4748", "ms", derived=True)
def at_tls_round_trip_ms(message_kb: Quantity) -> Any:
    """How long does request and reply take with CHACHA20 and AT-TLS? [L4741] T-21."""
    return interpolated(message_kb, AT_TLS_ROUND_TRIP_MS, level_below=True)
