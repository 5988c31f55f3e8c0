"""Properties that an application gives with a put, as names and values: their stored form."""

from __future__ import annotations

from collections.abc import Mapping

from libremq.kernel.properties.header_properties import JMS_TYPES
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_types import infer_type

_OF_DESCRIPTOR = "Root."


def encoded_properties(handles: MessageHandles, values: Mapping[str, object]) -> bytes:
    """Each is checked as if it were set in a message handle, which is made for those that only a handle can take."""
    if any(type(name) is not str or name.startswith(_OF_DESCRIPTOR) or name in JMS_TYPES for name in values):
        return _set_in_a_handle(handles, values)
    properties = Properties()
    for name, value in values.items():
        properties.set(name, value, infer_type(value))
    return properties.encode()


def _set_in_a_handle(handles: MessageHandles, values: Mapping[str, object]) -> bytes:
    hmsg = handles.create()
    try:
        for name, value in values.items():
            handles.set(hmsg, None, name, None, infer_type(value), value)
        return handles.get(hmsg).properties.encode()
    finally:
        handles.delete(hmsg)
