"""What tests of channel exits share."""

from __future__ import annotations

DATA = b"two cups of tea"
IMPORTS = """
from libremq.mqi import constants as C
from libremq.channels.exits import CloseChannel, SendSecurity, SuppressExit, SuppressMessage
"""

XOR = """
def twist(call):
    if call.reason == C.MQXR_XMIT:
        key = call.user_data.encode()
        body = bytes(byte ^ key[at % len(key)] for at, byte in enumerate(call.data[28:]))
        return call.data[:28] + body
def longer(call):
    if call.reason == C.MQXR_INIT: call.exit_space = 10
    if call.reason == C.MQXR_XMIT: return call.data + b'0123456789'
def shorter(call):
    if call.reason == C.MQXR_XMIT:
        assert call.data[-10:] == b'0123456789'
        return call.data[:-10]
"""
