"""Who must show a password, by which definition, and whom a connection acts as afterwards."""

from __future__ import annotations

import pytest

from libremq.mqi import constants as C
from libremq.security.connection_authentication import (
    OFF,
    ConnectionAuthentication,
    acting_user,
    cause,
    effective_check,
    is_password_looked_at,
    is_password_needed,
)

SETTINGS = ConnectionAuthentication("AUTH", C.MQCHK_OPTIONAL, C.MQCHK_REQUIRED_ADMIN)
AS_Q_MGR = C.MQCHK_AS_Q_MGR


@pytest.mark.parametrize(
    ("local", "rule", "check", "said"),
    [
        (True, AS_Q_MGR, C.MQCHK_OPTIONAL, "CHCKLOCL(OPTIONAL) of AUTHINFO(AUTH)"),
        (True, C.MQCHK_REQUIRED, C.MQCHK_OPTIONAL, "CHCKLOCL(OPTIONAL) of AUTHINFO(AUTH)"),
        (False, AS_Q_MGR, C.MQCHK_REQUIRED_ADMIN, "CHCKCLNT(REQDADM) of AUTHINFO(AUTH)"),
        (False, C.MQCHK_REQUIRED, C.MQCHK_REQUIRED, "CHCKCLNT(REQUIRED) of the channel authentication rule"),
    ],
)
def test_which_definition_asks(local: bool, rule: int, check: int, said: str) -> None:
    assert effective_check(SETTINGS, rule, local=local) == check
    assert cause(SETTINGS, rule, local=local) == said


@pytest.mark.parametrize(
    ("check", "looked_at", "needed", "needed_of_administrators"),
    [
        (C.MQCHK_NONE, False, False, False),
        (C.MQCHK_OPTIONAL, True, False, False),
        (C.MQCHK_REQUIRED_ADMIN, True, False, True),
        (C.MQCHK_REQUIRED, True, True, True),
    ],
)
def test_what_a_check_means(check: int, looked_at: bool, needed: bool, needed_of_administrators: bool) -> None:
    assert is_password_looked_at(check) is looked_at
    assert is_password_needed(check, False) is needed
    assert is_password_needed(check, True) is needed_of_administrators


def test_without_connauth_no_password_is_ever_checked() -> None:
    assert not OFF.configured and SETTINGS.configured
    assert not is_password_looked_at(effective_check(OFF, AS_Q_MGR, local=False))
    assert not is_password_looked_at(effective_check(OFF, AS_Q_MGR, local=True))


@pytest.mark.parametrize(
    ("asserted", "mca_user", "adopted", "user"),
    [("alice", "", "", "alice"), ("alice", "app", "", "app"), ("alice", "app", "bob", "bob"), ("", "", "", "")],
)
def test_whom_a_connection_acts_as(asserted: str, mca_user: str, adopted: str, user: str) -> None:
    assert acting_user(asserted, mca_user, adopted) == user
