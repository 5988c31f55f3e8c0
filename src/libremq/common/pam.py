"""Passwords of the operating system's users, asked of PAM where there is one.

The service is `libremq` if /etc/pam.d has a file for it, otherwise `login`, so an administrator can say what counts. A
check may take seconds, as modules ask other machines: run it in a thread. The pause that modules make after a wrong
password is left out: the queue manager makes its own (FAILDLAY), which holds up nobody else.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from functools import cache
from typing import Any

SERVICE, FALLBACK_SERVICE = "libremq", "login"
_CONFIGURATION = "/etc/pam.d"
_SUCCESS = 0
_CONVERSATION_ERROR = 19
_FAIL_DELAY = 10  # the item whose function pauses
_SILENT = 0x8000
_DISALLOW_EMPTY = 0x0001
_PROMPT_HIDDEN = 1  # a prompt whose answer is not shown: the password
_TEXT_ONLY = (3, 4)  # an error or some information, no prompt


class PamError(OSError):
    """PAM cannot be asked; the text says why."""


class _Message(ctypes.Structure):
    _fields_ = (("style", ctypes.c_int), ("text", ctypes.c_char_p))


class _Response(ctypes.Structure):
    _fields_ = (("answer", ctypes.c_void_p), ("unused", ctypes.c_int))


_Converse = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(_Message)), ctypes.POINTER(ctypes.POINTER(_Response)),
    ctypes.c_void_p,
)  # fmt: skip
_Delay = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)


class _Conversation(ctypes.Structure):
    _fields_ = (("function", _Converse), ("data", ctypes.c_void_p))


@cache
def _libraries() -> tuple[Any, Any] | None:
    """PAM and the C library, with the types of what is called in them."""
    name = ctypes.util.find_library("pam")
    if name is None:
        return None
    try:
        pam, c = ctypes.CDLL(name), ctypes.CDLL(None)
        pam.pam_start.argtypes = [
            ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(_Conversation), ctypes.POINTER(ctypes.c_void_p)
        ]  # fmt: skip
        pam.pam_authenticate.argtypes = pam.pam_acct_mgmt.argtypes = [ctypes.c_void_p, ctypes.c_int]
        pam.pam_end.argtypes = [ctypes.c_void_p, ctypes.c_int]
        pam.pam_set_item.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
        c.calloc.restype = c.strdup.restype = ctypes.c_void_p
        c.calloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
        c.strdup.argtypes = [ctypes.c_char_p]
    except (OSError, AttributeError):
        return None
    return pam, c


def is_available() -> bool:
    return _libraries() is not None


def service() -> str:
    return SERVICE if os.path.exists(f"{_CONFIGURATION}/{SERVICE}") else FALLBACK_SERVICE


def check_password(user: str, password: str) -> bool:
    """Is that the user's password, and may the user log in? PamError if there is nobody to ask."""
    found = _libraries()
    if found is None:
        raise PamError("the operating system has no PAM library (libpam), so only users of setmqusr can be checked")
    pam, c = found
    if "\0" in user or "\0" in password or not user or not password:
        return False
    name, secret = user.encode("utf-8", "surrogatepass"), password.encode("utf-8", "surrogatepass")

    def converse(count: int, messages: Any, responses: Any, data: Any) -> int:
        made = c.calloc(count, ctypes.sizeof(_Response))
        if not made:
            return _CONVERSATION_ERROR
        array = ctypes.cast(made, ctypes.POINTER(_Response))
        responses[0] = array  # PAM frees it, and the answers in it
        for at in range(count):
            style = messages[at].contents.style
            if style == _PROMPT_HIDDEN:
                array[at].answer = c.strdup(secret)
            elif style not in _TEXT_ONLY:
                array[at].answer = c.strdup(name)
        return _SUCCESS

    function, pause = _Converse(converse), _Delay(lambda result, microseconds, data: None)
    handle = ctypes.c_void_p()
    started = pam.pam_start(service().encode(), name, ctypes.byref(_Conversation(function, None)), ctypes.byref(handle))
    if started != _SUCCESS:
        raise PamError(f"PAM could not be started for the service {service()} (code {started})")
    pam.pam_set_item(handle, _FAIL_DELAY, ctypes.cast(pause, ctypes.c_void_p))
    outcome = pam.pam_authenticate(handle, _SILENT | _DISALLOW_EMPTY)
    if outcome == _SUCCESS:
        outcome = pam.pam_acct_mgmt(handle, _SILENT | _DISALLOW_EMPTY)
    pam.pam_end(handle, outcome)
    return bool(outcome == _SUCCESS)
