"""CipherSpecs: the names that MQ has for cipher suites, and what they are called in OpenSSL.

One table. TLS 1.2 and 1.3 can be spoken; what is older, or does not encrypt, is known by name only, so that it can be
refused with a reason (MQ refuses it too, unless told otherwise). An alias such as ANY_TLS12_OR_HIGHER leaves the choice
to the two ends. What the OpenSSL of this Python can do is asked of OpenSSL, not assumed.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

TLS12, TLS13 = "TLSv1.2", "TLSv1.3"  # as OpenSSL calls them

ANY = "ANY_TLS12_OR_HIGHER"
ALIASES: dict[str, tuple[str, ...]] = {
    "ANY": (TLS12, TLS13),
    "ANY_TLS12": (TLS12,),
    "ANY_TLS12_OR_HIGHER": (TLS12, TLS13),
    "ANY_TLS13": (TLS13,),
    "ANY_TLS13_OR_HIGHER": (TLS13,),
}
"""The versions that an alias stands for."""

# Best first: that is the order in which a queue manager chooses
SUITES_12: dict[str, str] = {
    "ECDHE_ECDSA_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE_RSA_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE_ECDSA_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE_RSA_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE_ECDSA_AES_256_CBC_SHA384": "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE_RSA_AES_256_CBC_SHA384": "ECDHE-RSA-AES256-SHA384",
    "ECDHE_ECDSA_AES_128_CBC_SHA256": "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE_RSA_AES_128_CBC_SHA256": "ECDHE-RSA-AES128-SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384": "AES256-GCM-SHA384",
    "TLS_RSA_WITH_AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256": "AES256-SHA256",
    "TLS_RSA_WITH_AES_128_CBC_SHA256": "AES128-SHA256",
}
SUITES_13 = (
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_128_CCM_SHA256",
    "TLS_AES_128_CCM_8_SHA256",
)
"""In TLS 1.3 both have the same names."""

_SSL3 = "is of SSL 3.0, which is broken"
_TLS10 = "is of TLS 1.0, which is not safe any more"
_PLAIN = "does not encrypt"
_RC4 = "uses RC4, which is broken"
_3DES = "uses triple DES, which is not safe any more"
WEAK: dict[str, str] = {
    "AES_SHA_US": _SSL3,
    "DES_SHA_EXPORT": _SSL3,
    "DES_SHA_EXPORT1024": _SSL3,
    "FIPS_WITH_DES_CBC_SHA": _SSL3,
    "FIPS_WITH_3DES_EDE_CBC_SHA": _SSL3,
    "NULL_MD5": _SSL3,
    "NULL_SHA": _SSL3,
    "RC2_MD5_EXPORT": _SSL3,
    "RC4_MD5_EXPORT": _SSL3,
    "RC4_MD5_US": _SSL3,
    "RC4_SHA_US": _SSL3,
    "RC4_56_SHA_EXPORT1024": _SSL3,
    "TRIPLE_DES_SHA_US": _SSL3,
    "TLS_RSA_EXPORT_WITH_RC2_40_MD5": _TLS10,
    "TLS_RSA_EXPORT_WITH_RC4_40_MD5": _TLS10,
    "TLS_RSA_WITH_DES_CBC_SHA": _TLS10,
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA": _TLS10,
    "TLS_RSA_WITH_AES_128_CBC_SHA": _TLS10,
    "TLS_RSA_WITH_AES_256_CBC_SHA": _TLS10,
    "TLS_RSA_WITH_NULL_MD5": _TLS10,
    "TLS_RSA_WITH_NULL_SHA": _TLS10,
    "TLS_RSA_WITH_RC4_128_MD5": _TLS10,
    "ECDHE_ECDSA_NULL_SHA256": _PLAIN,
    "ECDHE_RSA_NULL_SHA256": _PLAIN,
    "TLS_RSA_WITH_NULL_SHA256": _PLAIN,
    "TLS_RSA_WITH_NULL_NULL": _PLAIN,
    "ECDHE_ECDSA_RC4_128_SHA256": _RC4,
    "ECDHE_RSA_RC4_128_SHA256": _RC4,
    "TLS_RSA_WITH_RC4_128_SHA256": _RC4,
    "ECDHE_ECDSA_3DES_EDE_CBC_SHA256": _3DES,
    "ECDHE_RSA_3DES_EDE_CBC_SHA256": _3DES,
}
"""Every CipherSpec of MQ that is not used here, and why."""

_BY_OPENSSL = {openssl: spec for spec, openssl in SUITES_12.items()}


def cipher_spec_names() -> list[str]:
    """Every CipherSpec that can be used with this Python."""
    return [*ALIASES, *(spec for spec in (*SUITES_13, *SUITES_12) if not missing(spec))]


def canonical(name: str) -> str:
    """The CipherSpec that a name means: in capitals, and also from the names in the standards and in OpenSSL."""
    spec = name.strip().upper()
    if spec.startswith("TLS_ECDHE_") and "_WITH_" in spec:  # as the standards and Java name it
        spec = spec.removeprefix("TLS_").replace("_WITH_", "_")
    return _BY_OPENSSL.get(spec, spec)


def problem(spec: str) -> str:
    """Why this CipherSpec cannot be used; empty if it can."""
    if spec in ALIASES:
        return ""
    if spec in WEAK:
        return f"{spec} {WEAK[spec]}; use {ANY}"
    if spec not in SUITES_12 and spec not in SUITES_13:
        return f"{spec[:60]!r} is no CipherSpec; use {ANY}, or one of {', '.join(cipher_spec_names())}"
    return missing(spec)


def check_sslciph(value: str) -> str:
    """What is wrong with a value for SSLCIPH; empty if nothing is. Blank is a channel without TLS."""
    return problem(value) if value.strip() else ""


@functools.cache
def missing(spec: str) -> str:
    """Why the OpenSSL of this Python has no such suite; empty if it does."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if spec in SUITES_13:
        try:
            choose_suite_13(context, spec)
        except (ssl.SSLError, ValueError):
            pass
        if spec not in _names(context):
            return f"{spec} is not offered by {ssl.OPENSSL_VERSION} in this Python; use ANY_TLS13"
        return ""
    try:
        context.set_ciphers(SUITES_12[spec])
    except ssl.SSLError:
        return f"{spec} is not offered by {ssl.OPENSSL_VERSION} any more; use {ANY}"
    return ""


def accepts(spec: str, suite: str, version: str) -> bool:
    """Is what two ends have agreed on what the channel asks for? `suite` and `version` as OpenSSL names them."""
    if spec in ALIASES:
        return version in ALIASES[spec]
    if spec in SUITES_12:
        return version == TLS12 and suite == SUITES_12[spec]
    return version == TLS13 and suite == spec


def spec_of(suite: str) -> str:
    """The CipherSpec of a suite that OpenSSL has agreed on; its own name if MQ has none for it."""
    return _BY_OPENSSL.get(suite, suite)


def use(context: ssl.SSLContext, spec: str) -> None:
    """Restrict a context to a CipherSpec. `problem` must have nothing against it."""
    from ssl import TLSVersion

    known = {TLS12: TLSVersion.TLSv1_2, TLS13: TLSVersion.TLSv1_3}
    if spec in ALIASES:
        versions = ALIASES[spec]
        context.minimum_version, context.maximum_version = known[versions[0]], known[versions[-1]]
        if TLS12 in versions:
            offered = [openssl for name, openssl in SUITES_12.items() if not missing(name)]
            context.set_ciphers(":".join(offered))
    elif spec in SUITES_12:
        context.minimum_version = context.maximum_version = known[TLS12]
        context.set_ciphers(SUITES_12[spec])
    else:
        context.minimum_version = context.maximum_version = known[TLS13]
        choose_suite_13(context, spec)


def choose_suite_13(context: ssl.SSLContext, spec: str) -> None:
    """Python 3.15 can choose among the suites of TLS 1.3. Before, all are offered: what was agreed on is checked."""
    choose = getattr(context, "set_ciphersuites", None)
    if choose is not None:
        choose(spec)


def _names(context: ssl.SSLContext) -> list[str]:
    return [str(cipher["name"]) for cipher in context.get_ciphers()]
