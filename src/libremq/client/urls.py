"""Where a queue manager is, as a URL.

    embedded:QM1?create=1&data=/var/lib/mq                      inside this process
    local:QM1                                                   a server on this machine
    mq://user:password@host:1414,host2:1415/QM1?channel=DEV.APP.SVRCONN
    mqs://host/QM1?channel=APP.TLS&ca=/etc/mq/ca.pem            the same with TLS
    ccdt:QM1?table=/etc/mq/ccdt.json                            as a client channel definition table says

An application changes the URL to move from one binding to another, not its code. Only the grammar lives here; which
binding serves a scheme is decided in `connecting`. No text of an error holds a password.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

from libremq.common.names.connection_name import DEFAULT_PORT, HOSTS_MAX, bad_host, check_host, check_port, is_ipv6
from libremq.common.names.object_names import check_queue_manager_name, fold, is_object_name
from libremq.common.names.socket_paths import socket_path
from libremq.common.tls.cipher_specs import ANY
from libremq.common.tls.tls_options import VERIFY, VERIFY_FULL, VERIFY_NONE, TLSOptions, check_cipher
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.errors import MQError
from libremq.security.peer_names import check_pattern

SCHEMES = ("embedded", "local", "mq", "mqs", "ccdt")
DATA_VARIABLE = "LIBREMQ_DATA"
DEFAULT_CHANNEL = "SYSTEM.DEF.SVRCONN"
MESSAGE_BYTES_MAX = 100 << 20
SECONDS_MAX = 999_999
SHARING_MAX = 999_999_999

RECONNECT_DISABLED = "disabled"
RECONNECT_YES = "yes"
RECONNECT_QMGR = "qmgr"

_YES_NO = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_RECONNECT = {
    **{word: RECONNECT_YES if yes else RECONNECT_DISABLED for word, yes in _YES_NO.items()},
    "disabled": RECONNECT_DISABLED,
    "qmgr": RECONNECT_QMGR,
}
_VERIFY = {word: VERIFY_FULL if yes else VERIFY_NONE for word, yes in _YES_NO.items()} | {word: word for word in VERIFY}
_CHANNEL_NAME = re.compile(r"[A-Za-z0-9._/%]{1,20}\Z")
_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?\Z")


@dataclass(frozen=True, slots=True)
class Address:
    """A queue manager inside this process."""

    scheme: str
    name: str
    create: bool = False
    data: str = ""  # the folder of all queue managers; "" stands for the default one
    authority: bool = False  # authorities are checked, as a server would check them

    @property
    def folder(self) -> str:
        """The folder of this queue manager."""
        return _folder(self.data, self.name)


@dataclass(frozen=True, slots=True)
class ClientAddress:
    """A queue manager that another process serves."""

    scheme: str
    """"local", "mq" or "mqs"."""
    name: str
    """The queue manager to find there. Empty: its default, "*" or "*NAME": any."""
    hosts: tuple[tuple[str, int], ...] = ()
    """Host and port, to be tried in turn."""
    channel: str = DEFAULT_CHANNEL
    user: str = ""
    password: str = field(default="", repr=False)
    data: str = ""
    reconnect: str = RECONNECT_DISABLED
    """"disabled", "yes" (to any of the addresses) or "qmgr" (to the same queue manager only)."""
    reconnect_fixed: bool = False
    """The channel definition forbids an application to ask for anything else."""
    reconnect_timeout_s: float = 1800
    connect_timeout_s: float = 30
    """For each address that is tried."""
    call_timeout_s: float = 0
    """How long a call may go without an answer, beyond any wait it asks for itself; 0: for ever."""
    heartbeat_s: int = 300
    sharing: int = 10
    max_message_bytes: int = MESSAGE_BYTES_MAX
    application: str = ""
    tls: TLSOptions | None = None

    @property
    def folder(self) -> str:
        """The folder of the queue manager, if that is on this machine, else an empty string."""
        return _folder(self.data, self.name) if self.scheme == "local" else ""

    @property
    def socket_path(self) -> str:
        """The Unix-domain socket of a local one, else an empty string."""
        return socket_path(self.folder) if self.scheme == "local" else ""

    @property
    def any_name(self) -> bool:
        """Does any queue manager do, whatever it is called?"""
        return self.name.startswith("*") or not self.name

    @property
    def shown(self) -> str:
        """Where that is, for messages."""
        if self.scheme == "local":
            return f"local:{self.name}"
        return f"{self.scheme}://{shown_hosts(self.hosts)}/{self.name}"


@dataclass(frozen=True, slots=True)
class TableAddress:
    """A queue manager, or a group of them, as a client channel definition table (CCDT) knows it."""

    scheme: str
    name: str
    table: str
    """A path, or a URL with file:, http: or https:."""
    settings: tuple[tuple[str, Any], ...] = ()
    """Fields of a ClientAddress that count instead of what the table says."""


def _folder(data: str, name: str) -> str:
    return os.path.join(os.path.abspath(data or default_data_folder()), "qmgrs", fold(name))


def default_data_folder() -> str:
    """$LIBREMQ_DATA, else `.libremq` in the user's home."""
    return os.environ.get(DATA_VARIABLE) or os.path.join(os.path.expanduser("~"), ".libremq")


_PASSWORD_KEY = re.compile(r"([?&][^=&]*(?:passw|passphrase|pwd|secret)[^=&]*=)[^&]*", re.IGNORECASE)
_SCHEMES = ("embedded", "local", "ccdt", "mq", "mqs")


def without_password(url: str) -> str:
    """A URL to show: what follows the user, up to the last "@", is left out, and so is a key like `password`.

    A mistake in the front part must not show it either: in `user:password@host` the user looks like a binding.
    """
    url = _PASSWORD_KEY.sub(r"\1***", url)
    scheme, _, rest = url.partition(":")
    slashes = "//" if rest.startswith("//") else ""
    if not slashes and scheme in ("embedded", "local", "ccdt"):
        return url
    userinfo, at, hosts = rest.removeprefix("//").rpartition("@")
    if at and not slashes and scheme.lower() not in _SCHEMES:
        return f"{scheme}:***@{hosts}"
    if not at or ":" not in userinfo:
        return url
    return f"{scheme}:{slashes}{userinfo.partition(':')[0]}@{hosts}"


def shown_hosts(hosts: Iterable[tuple[str, int]]) -> str:
    return ",".join(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in hosts)


def client_url(hosts: Iterable[tuple[str, int]], name: str, channel: str = "", **keys: str) -> str:
    """The URL of a client connection, with what is special in it escaped."""
    places = ",".join(
        f"[{quote(host, safe=':')}]:{port}" if ":" in host else f"{quote(host)}:{port}" for host, port in hosts
    )
    values = {"channel": channel, **keys}
    query = "&".join(f"{key}={quote(value, safe='')}" for key, value in values.items() if value)
    return f"mq://{places}/{quote(name, safe='*')}" + (f"?{query}" if query else "")


def embedded_url(name: str) -> str:
    return f"embedded:{quote(name, safe='')}"


def parse(url: str) -> Address | ClientAddress | TableAddress:
    """The parts of a URL. An MQError says what is wrong with it, and what to write.

    MQRC_Q_MGR_NAME_ERROR: scheme or name; MQRC_HOST_NOT_AVAILABLE: host or port; MQRC_CHANNEL_CONFIG_ERROR: the name
    of the channel; MQRC_OPTIONS_ERROR: anything after the question mark.
    """
    if not isinstance(url, str):
        raise wrong_type(C.MQRC_Q_MGR_NAME_ERROR, "", f"a URL is a str such as 'embedded:QM1', not {url!r}")
    scheme, colon, rest = url.partition(":")
    if not colon:
        name = url or "QM1"
        raise bad_value(C.MQRC_Q_MGR_NAME_ERROR, url, f"a URL has a scheme: write 'embedded:{name}' or 'local:{name}'")
    if scheme not in SCHEMES:
        wanted = f"{', '.join(SCHEMES[:-1])} or {SCHEMES[-1]}"
        raise bad_value(
            C.MQRC_Q_MGR_NAME_ERROR, without_password(url), f"{scheme!r} is no binding of this release; use {wanted}"
        )
    if scheme in ("mq", "mqs"):
        return _parse_client(url, scheme, rest)
    name, _, query = rest.partition("?")
    if name.startswith("//"):
        wanted = name.strip("/")
        wanted = wanted if is_object_name(wanted) else "QM1"
        raise bad_value(C.MQRC_Q_MGR_NAME_ERROR, without_password(url), f"it names no host: write '{scheme}:{wanted}'")
    name = unquote(name)
    if scheme == "ccdt":
        check_client_name(name)
        values = _query(url, query, ("table", *_CONNECTION_KEYS))
        if "table" not in values:
            raise bad_value(C.MQRC_OPTIONS_ERROR, url, "it does not say where the table is: add ?table=/path/ccdt.json")
        settings = _settings(url, {key: value for key, value in values.items() if key != "table"})
        return TableAddress(scheme, name, _path(values["table"]), tuple(settings.items()))
    if not name:
        raise bad_value(C.MQRC_Q_MGR_NAME_ERROR, url, f"it names no queue manager: write '{scheme}:QM1'")
    check_queue_manager_name(name)
    if scheme == "local":
        values = _query(url, query, ("data", *_CONNECTION_KEYS, *_SIZE_KEYS))
        data = os.path.expanduser(values.pop("data", ""))
        return ClientAddress(scheme, name, data=data, **_settings(url, values))
    values = _query(url, query, ("create", "data", "authority"))
    flags: dict[str, bool] = {}
    for key in ("create", "authority"):
        word = values.get(key, "0").lower()
        if word not in _YES_NO:
            raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{key}={word} means nothing: use {key}=1 or {key}=0")
        flags[key] = _YES_NO[word]
    folder = os.path.expanduser(values.get("data", ""))
    return Address(scheme, name, flags["create"], folder, flags["authority"])


def _parse_client(url: str, scheme: str, rest: str) -> ClientAddress:
    said = without_password(url)
    if not rest.startswith("//"):
        example = rest.partition("?")[0].lstrip("/")
        example = example if is_object_name(example) else "QM1"
        raise bad_value(
            C.MQRC_HOST_NOT_AVAILABLE, said, f"it names no host: write '{scheme}://host:{DEFAULT_PORT}/{example}'"
        )
    try:
        rest.encode()
    except UnicodeEncodeError:
        raise bad_value(C.MQRC_OPTIONS_ERROR, ascii(said), "it is no proper text: write UTF-8 as %XX") from None
    place, _, query = rest[2:].partition("?")
    authority, _, path = place.partition("/")
    userinfo, at, hosts = authority.rpartition("@")
    if "@" in path or "@" in query:
        # It may be the end of a password with a slash in it, so nothing of this is looked at, or shown.
        raise bad_value(
            C.MQRC_HOST_NOT_AVAILABLE,
            said,
            "a / ? # or @ in a user or password is written %2F %3F %23 %40, and so is an @ behind the hosts",
        )
    if "#" in rest:
        raise bad_value(C.MQRC_OPTIONS_ERROR, said, "a # is written %23 in a URL")
    user, _, password = userinfo.partition(":")
    if at and not user:
        raise bad_value(C.MQRC_OPTIONS_ERROR, said, "a password needs a user before it: user:password@host")
    name = unquote(path)
    check_client_name(name)
    keys: tuple[str, ...] = (*_CONNECTION_KEYS, *_SIZE_KEYS, *_CHANNEL_KEYS)
    if scheme == "mq":
        for key, _ in parse_qsl(query, keep_blank_values=True):
            if key in _TLS_KEYS:
                raise bad_value(C.MQRC_OPTIONS_ERROR, said, f"{key} is for TLS: write mqs:// instead of mq://")
    else:
        keys += _TLS_KEYS
    values = _query(said, query, keys)
    secured = {key: values.pop(key) for key in _TLS_KEYS if key in values}
    return ClientAddress(
        scheme,
        name,
        hosts=_hosts(said, hosts),
        user=unquote(user),
        password=unquote(password),
        tls=_tls(said, secured) if scheme == "mqs" else None,
        **_settings(said, values),
    )


# Parts


def check_client_name(name: str) -> str:
    """A name as clients may give it: empty, that of a queue manager, or an asterisk and perhaps that of a group."""
    if name not in ("", "*"):
        check_queue_manager_name(name.removeprefix("*"))
    return name


def check_channel_name(name: str, object_name: str = "") -> str:
    if _CHANNEL_NAME.match(name) is None:
        raise bad_value(
            C.MQRC_CHANNEL_CONFIG_ERROR,
            object_name,
            f"{name[:64]!r} is not a channel name: use 1 to 20 of the characters A-Z a-z 0-9 . / _ %",
        )
    return name


def _hosts(url: str, text: str) -> tuple[tuple[str, int], ...]:
    places = text.split(",")
    if len(places) > HOSTS_MAX:
        raise bad_value(C.MQRC_HOST_NOT_AVAILABLE, url, f"it lists {len(places)} hosts; {HOSTS_MAX} is the most")
    return tuple(_host(url, place) for place in places)


def _host(url: str, text: str) -> tuple[str, int]:
    text = text.strip()
    if text.startswith("["):
        host, bracket, after = text[1:].partition("]")
        if not bracket or (after and not after.startswith(":")):
            raise bad_host(url, f"an IPv6 address is written [2001:db8::1]:{DEFAULT_PORT}, not {text[:64]!r}")
        port = after[1:]
        colon = after[:1]
        host = unquote(host)
        if not is_ipv6(host):
            raise bad_host(url, f"{host[:64]!r} is no IPv6 address")
    else:
        host, colon, port = text.partition(":")
        if ":" in port:
            raise bad_host(url, f"an IPv6 address is written in brackets: [{text[:64]}]")
        if "(" in host:
            raise bad_host(url, f"a port follows a colon here: write {host.replace('(', ':').replace(')', '')[:64]!r}")
        host = unquote(host)
        check_host(host, url)
    return host, check_port(port, url) if colon else DEFAULT_PORT


# Keys after the question mark


def _query(url: str, query: str, keys: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in keys:
            shown = without_password(url)
            raise bad_value(C.MQRC_OPTIONS_ERROR, shown, f"unknown key {key!r}: use {', '.join(keys)}")
        if key in values or not value or "\0" in value:
            raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{key} needs one value")
        values[key] = value
    if query and not values:
        raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{query!r} is no list of key=value pairs")
    return values


def _seconds(url: str, key: str, text: str) -> float:
    if _NUMBER.match(text) is None or not 0 <= float(text) <= SECONDS_MAX:
        raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{key}={text[:40]} is no time: use 0 to {SECONDS_MAX} seconds")
    return float(text)


def _some_seconds(url: str, key: str, text: str) -> float:
    value = _seconds(url, key, text)
    if not value or not math.isfinite(value):
        raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{key}={text[:40]} leaves no time at all: use 1 or more seconds")
    return value


def _whole(most: int, least: int = 0) -> Callable[[str, str, str], int]:
    def convert(url: str, key: str, text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= 12 and least <= int(text) <= most):
            raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{key}={text[:40]}: use a whole number from {least} to {most}")
        return int(text)

    return convert


def _one_of(words: dict[str, str]) -> Callable[[str, str, str], str]:
    def convert(url: str, key: str, text: str) -> str:
        if text.lower() not in words:
            raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{key}={text[:40]} means nothing: use {', '.join(words)}")
        return words[text.lower()]

    return convert


def _application(url: str, key: str, text: str) -> str:
    if len(text.encode("utf-8", "replace")) > C.MQ_APPL_NAME_LENGTH:
        raise bad_value(C.MQRC_OPTIONS_ERROR, url, f"{key} has {C.MQ_APPL_NAME_LENGTH} characters at most")
    return text


# What each key sets in a ClientAddress, and how it is read.
_FIELDS: dict[str, tuple[str, Callable[[str, str, str], Any]]] = {
    "reconnect": ("reconnect", _one_of(_RECONNECT)),
    "reconnect_timeout": ("reconnect_timeout_s", _some_seconds),
    "connect_timeout": ("connect_timeout_s", _some_seconds),
    "call_timeout": ("call_timeout_s", _seconds),
    "application": ("application", _application),
    "heartbeat": ("heartbeat_s", _whole(SECONDS_MAX)),
    "sharing": ("sharing", _whole(SHARING_MAX)),
    "max_message": ("max_message_bytes", _whole(MESSAGE_BYTES_MAX, 1)),
    "channel": ("channel", lambda url, _, text: check_channel_name(text, url)),
}
_CONNECTION_KEYS = ("reconnect", "reconnect_timeout", "connect_timeout", "call_timeout", "application")
_SIZE_KEYS = ("heartbeat", "sharing", "max_message")
_CHANNEL_KEYS = ("channel",)
_TLS_KEYS = ("ca", "cert", "key", "verify", "cipher", "server_name", "peer_name", "crl")


def _settings(url: str, values: dict[str, str]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for key, text in values.items():
        name, convert = _FIELDS[key]
        settings[name] = convert(url, key, text)
    return settings


def _tls(url: str, values: dict[str, str]) -> TLSOptions:
    verify = _one_of(_VERIFY)(url, "verify", values.get("verify", VERIFY_FULL))
    server_name = values.get("server_name", "")
    if server_name and not is_ipv6(server_name):
        check_host(server_name, url)
    try:
        cipher = check_cipher(values.get("cipher", ANY))
        if "peer_name" in values:
            check_pattern(values["peer_name"])
    except MQError as error:
        raise bad_value(error.reason, url, error.detail) from None
    return TLSOptions(
        ca=_path(values.get("ca", "")),
        certificate=_path(values.get("cert", "")),
        key=_path(values.get("key", "")),
        key_password=os.environ.get("MQKEYRPWD", ""),
        verify=verify,
        cipher=cipher,
        server_name=server_name,
        peer_name=values.get("peer_name", ""),
        revoked=_path(values.get("crl", "")),
    )


def _path(text: str) -> str:
    return os.path.expanduser(text)
