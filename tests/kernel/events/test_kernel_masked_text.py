"""Passwords and keys in commands, also in those that cannot be read, are not repeated."""

from __future__ import annotations

import pytest

from libremq.kernel.events.event_messages import masked
from libremq.kernel.events.masked_text import has_secrets, mask_passwords, secret_astray
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFST

MASK = "'********'"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("ALTER QMGR SSLCRYP('GSK_PKCS11=/x;token;pin;') DESCR(y)", f"ALTER QMGR SSLCRYP({MASK}) DESCR(y)"),
        ("ALTER QMGR SSLCRYP('')", "ALTER QMGR SSLCRYP('')"),
        ("ALTER AUTHINFO(A) LDAPPWD 'secret'", f"ALTER AUTHINFO(A) LDAPPWD {MASK}"),
        ("ALTER AUTHINFO(A) LDAPPWD=secret DESCR('x')", f"ALTER AUTHINFO(A) LDAPPWD {MASK}"),
        ("ALTER AUTHINFO(A) LDAPPWD(se)cret)", f"ALTER AUTHINFO(A) LDAPPWD({MASK}) {MASK}"),
        ("ALTER AUTHINFO(A LDAPPWD 'secret'", f"ALTER AUTHINFO(A LDAPPWD {MASK}"),
        ("ALTER AUTHINFO('A) LDAPPWD secret", f"ALTER AUTHINFO('A) LDAPPWD {MASK}"),
        ("alter authinfo(a) ldappwd[secret]", f"alter authinfo(a) ldappwd {MASK}"),
        ("ALTER QMGR KEYRPW('secret')", f"ALTER QMGR KEYRPW({MASK})"),
        ("ALTER QMGR SSLCYRP('secret')", f"ALTER QMGR SSLCYRP({MASK})"),
        ("ALTER AUTHINFO(A) LDAPPW(secret)", f"ALTER AUTHINFO(A) LDAPPW({MASK})"),
        ("ALTER AUTHINFO(A) LDAPPASS 'secret'", f"ALTER AUTHINFO(A) LDAPPASS {MASK}"),
        ("ALTER AUTHINFO(A) LDAPWPD('secret')", f"ALTER AUTHINFO(A) LDAPWPD({MASK})"),
        ("ALTER CHANNEL(C) CHLTYPE(SDR) PSWD('secret')", f"ALTER CHANNEL(C) CHLTYPE(SDR) PSWD({MASK})"),
        ("ALTER CHANNEL(C) CHLTYPE(SDR) PASWORD('secret')", f"ALTER CHANNEL(C) CHLTYPE(SDR) PASWORD({MASK})"),
        # These are no passwords
        ("ALTER AUTHINFO(A) AUTHTYPE(IDPWOS) DESCR('x", "ALTER AUTHINFO(A) AUTHTYPE(IDPWOS) DESCR('x"),
        ("SET AUTHREC AUTHADD(PASSALL,GET", "SET AUTHREC AUTHADD(PASSALL,GET"),
        ("ALTER AUTHINFO(A) LDAPPWD", "ALTER AUTHINFO(A) LDAPPWD"),
        ("DISPLAY AUTHINFO(A) LDAPPWD DESCR", "DISPLAY AUTHINFO(A) LDAPPWD DESCR"),
        ("DISPLAY QMGR SSLCRYP SSLEV", "DISPLAY QMGR SSLCRYP SSLEV"),
        ("DEFINE QLOCAL(PASSWORD.Q) DESCR('a password is')", "DEFINE QLOCAL(PASSWORD.Q) DESCR('a password is')"),
    ],
)  # fmt: skip
def test_secrets_are_masked_also_where_the_command_is_broken(given: str, told: str) -> None:
    assert mask_passwords(given) == told


def test_no_other_keyword_is_taken_for_one_of_a_secret() -> None:
    for table in TABLES.values():
        for row in table:
            for keyword in (row.keyword, *row.synonyms):
                shown = mask_passwords(f"ALTER X(Y) {keyword}(value)")
                assert ("value" not in shown) == (row.secret or row.discreet), keyword


def test_which_keyword_was_written_wrong() -> None:
    assert secret_astray("ALTER AUTHINFO(A) LDAPPWD 'secret'") == "LDAPPWD"
    assert secret_astray("ALTER AUTHINFO(A) LDAPPWD('secret') DESCR(x)") == ""
    # A secret that looks like a keyword itself is not named
    assert secret_astray("ALTER AUTHINFO(A) LDAPPWD('Passw0rd") == ""
    assert secret_astray("ALTER AUTHINFO(A) LDAPPWD('its''mypw'") == ""
    assert secret_astray("ALTER AUTHINFO(A) LDAPPWD(my+pw) DESCR(") == ""
    assert secret_astray('ALTER AUTHINFO(A) LDAPPWD("A)MINE(")', "MINE in column 31 is no parameter") == "LDAPPWD"
    assert has_secrets("sslcryp('") and has_secrets("LDAPPWD(") and not has_secrets("DESCR('x')")


def test_sslcryp_in_a_pcf_command_is_masked_in_its_event() -> None:
    shown = masked(MQCFST(Parameter=C.MQCA_SSL_CRYPTO_HARDWARE, String="GSK_PKCS11=/x;token;pin;"))
    assert isinstance(shown, MQCFST) and "pin" not in shown.String and shown.String.strip()
