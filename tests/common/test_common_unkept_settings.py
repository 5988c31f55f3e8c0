"""qm.ini asks for protection that is not there: refused with its line, and with what to use instead."""

from __future__ import annotations

import pytest

from libremq.common.configuration import ConfigurationError, parse


@pytest.mark.parametrize(
    ("setting", "instead"),
    [
        ("OCSPAuthentication=REQUIRED", "crl.pem"),
        ("ocspauthentication = required", "crl.pem"),
        ("CDPCheckExtensions=YES", "crl.pem"),
        ("EncryptionPolicySuiteB=128_BIT,192_BIT", "SSLCIPH"),
        ("SSLFipsRequired=YES", "SSLFIPS"),
        ("MinimumRSAKeySize=4096", "OpenSSL"),
        ("AllowedCipherSpecs=ANY_TLS13", "SSLCIPH"),
    ],
)
def test_what_would_protect_and_is_not_done_is_refused(setting: str, instead: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parse(f"SSL:\n  {setting}\n")
    assert "line 2: " in str(refused.value) and instead in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "SSL:\n  OCSPAuthentication=OPTIONAL\n",
        "SSL:\n  EncryptionPolicySuiteB=NONE\n  MinimumRSAKeySize=1\n",
        "SSL:\n  OutboundSNI=CHANNEL\n",
        "Other:\n  OCSPAuthentication=REQUIRED\n",
    ],
)
def test_what_asks_for_nothing_is_kept(text: str) -> None:
    assert parse(text).warnings
