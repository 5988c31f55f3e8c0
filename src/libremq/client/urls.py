"""Where a queue manager is, as a URL: `embedded:QM1?create=1&data=/var/lib/mq`.

An application changes the URL to move from one binding to another, not its code. Only the grammar lives here; which
binding serves a scheme is decided in `connecting`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

from libremq.client.errors import bad_value, wrong_type
from libremq.common.names import check_queue_manager_name, fold
from libremq.mqi import constants as C

SCHEMES = ("embedded",)
DATA_VARIABLE = "LIBREMQ_DATA"
_KEYS = ("create", "data")
_YES_NO = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed URL."""

    scheme: str
    name: str
    create: bool = False
    data: str = ""  # the folder of all queue managers; "" stands for the default one

    @property
    def folder(self) -> str:
        """The folder of this queue manager."""
        return os.path.join(os.path.abspath(self.data or default_data_folder()), "qmgrs", fold(self.name))


def default_data_folder() -> str:
    """$LIBREMQ_DATA, else `.libremq` in the user's home."""
    return os.environ.get(DATA_VARIABLE) or os.path.join(os.path.expanduser("~"), ".libremq")


def parse(url: str) -> Address:
    """The parts of a URL; an MQError with MQRC_Q_MGR_NAME_ERROR or MQRC_OPTIONS_ERROR says what is wrong with it."""
    if not isinstance(url, str):
        raise wrong_type(C.MQRC_Q_MGR_NAME_ERROR, "", f"a URL is a str such as 'embedded:QM1', not {url!r}")
    scheme, colon, rest = url.partition(":")
    if not colon:
        raise bad_value(C.MQRC_Q_MGR_NAME_ERROR, url, f"a URL has a scheme: write 'embedded:{url}'")
    if scheme not in SCHEMES:
        raise bad_value(
            C.MQRC_Q_MGR_NAME_ERROR, url, f"{scheme!r} is no binding of this release; use {' or '.join(SCHEMES)}"
        )
    name, _, query = rest.partition("?")
    if name.startswith("//"):
        raise bad_value(C.MQRC_Q_MGR_NAME_ERROR, url, f"it names no host: write '{scheme}:{name.strip('/')}'")
    name = unquote(name)
    check_queue_manager_name(name)
    values = _query(url, query)
    create = values.get("create", "0").lower()
    if create not in _YES_NO:
        raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"create={create} means nothing: use create=1 or create=0")
    return Address(scheme, name, _YES_NO[create], os.path.expanduser(values.get("data", "")))


def _query(url: str, query: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in _KEYS:
            raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"unknown key {key!r}: use {', '.join(_KEYS)}")
        if key in values or not value:
            raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{key} needs one value")
        values[key] = value
    if query and not values:
        raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{query!r} is no list of key=value pairs")
    return values
