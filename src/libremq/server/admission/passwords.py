"""Is this the user's password? Asked of the queue manager's own users first, then of the operating system.

A user of the queue manager's file has the password of that file and no other. AUTHENMD(PAM) asks the operating system
alone. A check costs the same for a user that nobody knows, as far as that is in our hands; FAILDLAY covers the rest. No
password is kept, shown or logged.
"""

from __future__ import annotations

import pwd
from collections.abc import Callable

from libremq.common import pam, users_file
from libremq.common.files.file_layer import Files
from libremq.common.messages.amq_messages import amq
from libremq.common.users_file import UsersError
from libremq.mqi import constants as C
from libremq.security.connection_authentication import ConnectionAuthentication


class Passwords:
    def __init__(self, files: Files, folder: str) -> None:
        self._files = files
        self._folder = folder

    def right(
        self, settings: ConnectionAuthentication, credentials: tuple[str, str], say: Callable[[str], None]
    ) -> bool:
        """To be run in a thread. What stands in the way of an answer is said, and the answer is no."""
        user, password = credentials
        if settings.problem:
            say(amq(9591, settings.problem))
            return False
        try:
            if settings.method != C.MQAUTHENTICATE_PAM:
                if users_file.check_password(self._files, self._folder, user, password):
                    return True
                if user in users_file.user_names(self._files, self._folder):
                    return False
            return self._system_knows(user, password, needed=settings.method == C.MQAUTHENTICATE_PAM)
        except UsersError as error:
            say(amq(9591, error))
        except OSError as error:
            say(amq(9591, error.strerror or error))
        return False

    def _system_knows(self, user: str, password: str, *, needed: bool) -> bool:
        if not needed and not pam.is_available():
            return False
        try:
            pwd.getpwnam(user)
        except (KeyError, ValueError):
            if pam.is_available():
                return False  # PAM would ask for nothing, and some modules take their time to say so
        return pam.check_password(user, password)
