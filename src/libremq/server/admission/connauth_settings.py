"""What CONNAUTH of the queue manager means: the AUTHINFO that it names, as it was when this was read.

An object that is missing, or of a type that this release cannot ask, must not make a login easier: clients need a
password then, and none is right, until the definition is corrected and refreshed. Who is on this machine can do that.
"""

from __future__ import annotations

from libremq.kernel.objects.definitions import Definitions
from libremq.kernel.objects.security_records import IdpwLdap, IdpwOs
from libremq.mqi import constants as C
from libremq.security.connection_authentication import OFF, ConnectionAuthentication


def read_settings(definitions: Definitions) -> ConnectionAuthentication:
    name = definitions.qmgr.connauth
    if not name:
        return OFF
    found = definitions.find("AUTHINFO", name)
    if isinstance(found, IdpwOs):
        return ConnectionAuthentication(
            name,
            found.chcklocl,
            found.chckclnt,
            found.adoptctx == C.MQADPCTX_YES,
            found.faildlay,
            found.authenmd,
        )
    if found is None:
        problem = f"CONNAUTH names {name}, and there is no such AUTHINFO"
    elif isinstance(found, IdpwLdap):
        problem = f"CONNAUTH names {name}, of type IDPWLDAP, and this release asks no LDAP server; use IDPWOS"
    else:
        problem = f"CONNAUTH names {name}, of type {found.kind}; it must be IDPWOS"
    return ConnectionAuthentication(name, C.MQCHK_OPTIONAL, C.MQCHK_REQUIRED, failure_delay_s=1, problem=problem)
