"""SSLPEER with MQ's reason codes: a pattern that makes no sense, a partner who is somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.security import distinguished_names
from libremq.security.distinguished_names import DistinguishedNameError


def check_pattern(pattern: str) -> None:
    """MQRC_SSL_PEER_NAME_ERROR if it is no pattern such as `CN=QM*, O=Example`."""
    try:
        distinguished_names.parse_pattern(pattern)
    except DistinguishedNameError as error:
        raise mq_error(C.MQRC_SSL_PEER_NAME_ERROR, "", str(error)) from None


def check_partner(pattern: str, certificate: Mapping[str, Any] | None, object_name: str = "") -> None:
    """MQRC_SSL_PEER_NAME_MISMATCH if the partner, of whom `getpeercert()` tells, is not like the pattern."""
    check_pattern(pattern)
    subject = distinguished_names.of_certificate(certificate).subject
    if not subject or not distinguished_names.matches(pattern, subject):
        raise mq_error(
            C.MQRC_SSL_PEER_NAME_MISMATCH,
            object_name,
            f"the partner is {subject[:400] or 'nobody'}, which is not like {pattern[:200]!r}",
        )


def pattern_problem(pattern: str) -> str:
    """What is wrong with a value for SSLPEER; empty if nothing is. Blank accepts everybody."""
    try:
        if pattern.strip():
            distinguished_names.parse_pattern(pattern)
    except DistinguishedNameError as error:
        return str(error)
    return ""
