"""Data conversion (MQGMO_CONVERT): text, integers, MQ headers and PCF in another character set or encoding.

Pure functions on bytes. May touch: nothing else of the kernel.
"""

from libremq.kernel.conversion.convert_message import convert, convert_characters

__all__ = ["convert", "convert_characters"]
