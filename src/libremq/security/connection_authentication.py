"""Connection authentication: who must show a password, and whom a connection acts as afterwards.

An AUTHINFO of type IDPWOS says it for local and for client connections, and a CHLAUTH rule may say it anew for those
that it lets in. What applies is a copy, taken when the queue manager starts and by REFRESH SECURITY: a change of the
objects alone locks nobody out. Pure functions on plain values.
"""

from __future__ import annotations

from dataclasses import dataclass

from libremq.mqi import constants as C


@dataclass(frozen=True, slots=True)
class ConnectionAuthentication:
    """The AUTHINFO that CONNAUTH names, as far as it matters here. A blank name: no password is ever checked."""

    name: str = ""
    check_local: int = C.MQCHK_NONE
    check_client: int = C.MQCHK_NONE
    adopt_context: bool = False
    failure_delay_s: int = 0
    method: int = C.MQAUTHENTICATE_OS
    problem: str = ""
    """Why nobody can be authenticated although somebody must be: the object is missing, or of another type."""

    @property
    def configured(self) -> bool:
        return bool(self.name)


OFF = ConnectionAuthentication()

_WORDS = {
    C.MQCHK_NONE: "NONE",
    C.MQCHK_OPTIONAL: "OPTIONAL",
    C.MQCHK_REQUIRED: "REQUIRED",
    C.MQCHK_REQUIRED_ADMIN: "REQDADM",
}


def effective_check(settings: ConnectionAuthentication, rule_check: int, *, local: bool) -> int:
    """CHCKLOCL, or CHCKCLNT of the rule that lets a client in, or that of the AUTHINFO."""
    if local:
        return settings.check_local
    return settings.check_client if rule_check == C.MQCHK_AS_Q_MGR else rule_check


def is_password_looked_at(check: int) -> bool:
    """NONE ignores what a client sends. Everything else refuses a wrong password, needed or not."""
    return check != C.MQCHK_NONE


def is_password_needed(check: int, privileged: bool) -> bool:
    return check == C.MQCHK_REQUIRED or (check == C.MQCHK_REQUIRED_ADMIN and privileged)


def cause(settings: ConnectionAuthentication, rule_check: int, *, local: bool) -> str:
    """Which definition asks for a password, for messages."""
    check = effective_check(settings, rule_check, local=local)
    word = _WORDS.get(check, str(check))
    if local:
        return f"CHCKLOCL({word}) of AUTHINFO({settings.name})"
    if rule_check != C.MQCHK_AS_Q_MGR:
        return f"CHCKCLNT({word}) of the channel authentication rule"
    return f"CHCKCLNT({word}) of AUTHINFO({settings.name})"


def acting_user(asserted: str, mca_user: str, adopted: str) -> str:
    """Who it acts as if no mapping says otherwise: the user with the password, then MCAUSER, then what it asserts."""
    return adopted or mca_user or asserted
