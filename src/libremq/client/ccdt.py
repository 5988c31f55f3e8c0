"""The client channel definition table (CCDT) in JSON: which channels lead to a queue manager, or to a group of them.

    {"channel": [{"name": "APP.SVRCONN", "type": "clientConnection",
                  "clientConnection": {"connection": [{"host": "a.example", "port": 1414}], "queueManager": "QM1"},
                  "transmissionSecurity": {"cipherSpecification": "ANY_TLS12_OR_HIGHER"}}]}

Attributes that are not known are skipped, so that a table can serve other clients too; one that is known and wrong is
an error that names its place. The binary table (AMQCLCHL.TAB) is recognized and refused.
"""

from __future__ import annotations

import json
import os
import random
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from libremq.client import urls
from libremq.client.urls import ClientAddress, TableAddress
from libremq.common.names.connection_name import DEFAULT_PORT, HOSTS_MAX, check_host, is_ipv6
from libremq.common.tls import tls_context, tls_options
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value
from libremq.mqi.errors import MQError, mq_error
from libremq.security.peer_names import check_pattern

LIBRARY_VARIABLE = "MQCHLLIB"
TABLE_VARIABLE = "MQCHLTAB"
URL_VARIABLE = "MQCCDTURL"
KEY_REPOSITORY_VARIABLE = "MQSSLKEYR"
BINARY_NAME = "AMQCLCHL.TAB"
JSON_NAME = "ccdt.json"
TABLE_BYTES_MAX = 16 << 20
_FETCH_TIMEOUT_S = 30

# defaultReconnect (DEFRECON): what it means for us, and whether an application may ask for something else.
_RECONNECT = {
    "no": (urls.RECONNECT_DISABLED, False),
    "yes": (urls.RECONNECT_YES, False),
    "queueManager": (urls.RECONNECT_QMGR, False),
    "disabled": (urls.RECONNECT_DISABLED, True),
}
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ClientChannel:
    """One client-connection channel of a table."""

    name: str
    queue_manager: str = ""
    hosts: tuple[tuple[str, int], ...] = ()
    weight: int = 0
    preferred: bool = True
    """AFFINITY(PREFERRED): a machine tries the channels of a name in the same order each time."""
    reconnect: str = urls.RECONNECT_DISABLED
    reconnect_fixed: bool = False
    heartbeat_s: int = 300
    sharing: int = 10
    max_message_bytes: int = urls.MESSAGE_BYTES_MAX
    cipher: str = ""
    """A CipherSpec; empty: no TLS."""
    certificate_label: str = ""
    peer_name: str = ""

    def address(self, name: str) -> ClientAddress:
        """Where this channel leads a client that asked for `name`."""
        secured = None
        if self.cipher:
            try:
                secured = tls_context.from_key_repository(
                    os.environ.get(KEY_REPOSITORY_VARIABLE, ""),
                    cipher=self.cipher,
                    label=self.certificate_label,
                    peer_name=self.peer_name,
                )
            except MQError as error:
                raise mq_error(error.reason, self.name, error.detail) from error
        return ClientAddress(
            "mqs" if secured else "mq",
            name,
            hosts=self.hosts,
            channel=self.name,
            reconnect=self.reconnect,
            reconnect_fixed=self.reconnect_fixed,
            heartbeat_s=self.heartbeat_s,
            sharing=self.sharing,
            max_message_bytes=self.max_message_bytes,
            tls=secured,
        )


# From the environment to addresses


def table_of_environment() -> str:
    """Where the table is that MQCCDTURL, or MQCHLLIB and MQCHLTAB, name; "" if none of them is set."""
    table = os.environ.get(URL_VARIABLE, "").strip()
    if table:
        return table
    library = os.environ.get(LIBRARY_VARIABLE, "").strip()
    file = os.environ.get(TABLE_VARIABLE, "").strip()
    if not library and not file:
        return ""
    if _is_url(library):
        return f"{library.rstrip('/')}/{file or JSON_NAME}"
    folder = os.path.abspath(os.path.expanduser(library)) if library else urls.default_data_folder()
    if file:
        return os.path.join(folder, file)
    # AMQCLCHL.TAB is the name MQ has in mind, and one in JSON may have it; but only a binary one is likely to.
    path = os.path.join(folder, JSON_NAME)
    binary = os.path.join(folder, BINARY_NAME)
    return binary if os.path.exists(binary) and not os.path.exists(path) else path


def addresses(
    address: TableAddress, *, choice: random.Random | None = None, host_name: str | None = None
) -> list[ClientAddress]:
    """The addresses to try for a name, in order. `choice` and `host_name` are for tests that want to know the order."""
    channels = [channel for channel in load(address.table) if channel.queue_manager == address.name.removeprefix("*")]
    if not channels:
        raise mq_error(
            C.MQRC_Q_MGR_NAME_ERROR,
            address.name,
            f"the channel table {address.table} has no channel with queueManager {address.name.removeprefix('*')!r}",
        )
    settings = dict(address.settings)
    found: list[ClientAddress] = []
    for channel in in_order(channels, choice=choice, host_name=host_name):
        one = channel.address(address.name)
        if one.reconnect_fixed:
            one = replace(one, **{key: value for key, value in settings.items() if key != "reconnect"})
        else:
            one = replace(one, **settings)
        found.append(one)
    return found


def in_order(
    channels: Sequence[ClientChannel], *, choice: random.Random | None = None, host_name: str | None = None
) -> list[ClientChannel]:
    """The order in which channels are tried.

    Those without a weight come first, by name, and in the order of the table among equal names. The others follow at
    random, the sooner the heavier; with affinity, a machine finds the same order each time.
    """
    ordered = sorted((channel for channel in channels if not channel.weight), key=lambda channel: channel.name)
    rest = [channel for channel in channels if channel.weight]
    if rest and choice is None:
        if all(channel.preferred for channel in rest):
            choice = random.Random(f"{host_name or socket.gethostname()} {rest[0].queue_manager}")
        else:
            choice = random.Random()
    while rest:
        assert choice is not None
        at = choice.choices(range(len(rest)), [channel.weight for channel in rest])[0]
        ordered.append(rest.pop(at))
    return ordered


# Reading


def load(table: str) -> list[ClientChannel]:
    """The client-connection channels of a table, by its path or URL."""
    return parse(read(table), table)


def read(table: str) -> bytes:
    if _is_url(table):
        parts = urlsplit(table)
        if parts.scheme == "file":
            return _read_file(unquote(parts.path), table)
        if parts.scheme not in ("http", "https"):
            raise mq_error(
                C.MQRC_CCDT_URL_ERROR, table, f"{parts.scheme!r} is not read here: use file:, http: or https:"
            )
        return _fetch(table)
    return _read_file(os.path.expanduser(table), table)


def _is_url(text: str) -> bool:
    return "://" in text or text.startswith("file:")


def _read_file(path: str, table: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(TABLE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise mq_error(
            C.MQRC_CCDT_URL_ERROR,
            table,
            f"the channel table cannot be read ({why}); see {URL_VARIABLE}, {LIBRARY_VARIABLE} and {TABLE_VARIABLE}",
        ) from error
    return _limited(data, table)


def _fetch(table: str) -> bytes:
    try:
        with urllib.request.urlopen(table, timeout=_FETCH_TIMEOUT_S) as answer:
            data: bytes = answer.read(TABLE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:  # URLError and HTTPError are OSErrors
        why = getattr(error, "reason", None) or error
        raise mq_error(C.MQRC_CCDT_URL_ERROR, table, f"the channel table cannot be fetched ({why})") from error
    return _limited(data, table)


def _limited(data: bytes, table: str) -> bytes:
    if len(data) > TABLE_BYTES_MAX:
        raise mq_error(C.MQRC_CCDT_URL_ERROR, table, f"a channel table has {TABLE_BYTES_MAX} bytes at most")
    return data


def parse(data: bytes, table: str) -> list[ClientChannel]:
    """The client-connection channels in the text of a table; channels of other types are skipped."""
    try:
        text = data.decode("utf-8-sig")
        binary = "\0" in text
    except UnicodeDecodeError:
        binary = True
    if binary or text.startswith("AMQ"):
        raise bad_value(
            C.MQRC_CHANNEL_CONFIG_ERROR,
            table,
            f"this is a binary channel table ({BINARY_NAME}), which this release does not read: write one in JSON",
        )
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise bad_value(C.MQRC_CHANNEL_CONFIG_ERROR, table, f"it is not valid JSON: {error}") from None
    root = _Element(content, "the table", table)
    channels = []
    for element in root.object().member("channel").needed().array():
        element.object()
        kind = element.member("type").needed().text()
        if kind.casefold() == "clientconnection":
            channels.append(_channel(element))
    return channels


def _channel(element: _Element) -> ClientChannel:
    name = element.member("name").needed()
    connection = element.member("clientConnection").object()
    management = element.member("connectionManagement").object()
    security = element.member("transmissionSecurity").object()
    general = element.member("general").object()
    reconnect, fixed = management.member("defaultReconnect").one_of(_RECONNECT, "no")
    heartbeat = management.member("heartbeatInterval")
    if not heartbeat.present:
        heartbeat = management.member("heartInterval")  # as IBM's list of attributes spells it
    manager = connection.member("queueManager")
    return ClientChannel(
        name.checked(lambda: urls.check_channel_name(name.text())),
        queue_manager=manager.checked(lambda: urls.check_client_name(manager.text().strip()).removeprefix("*")),
        hosts=_hosts(connection.member("connection")),
        weight=management.member("clientWeight").whole(99, 0),
        preferred=management.member("affinity").one_of({"preferred": True, "none": False}, "preferred"),
        reconnect=reconnect,
        reconnect_fixed=fixed,
        heartbeat_s=heartbeat.whole(urls.SECONDS_MAX, 300),
        sharing=management.member("sharingConversations").whole(urls.SHARING_MAX, 10),
        # 0 is the most that the queue manager allows
        max_message_bytes=general.member("maximumMessageLength").whole(urls.MESSAGE_BYTES_MAX, 0)
        or urls.MESSAGE_BYTES_MAX,
        cipher=_cipher(security.member("cipherSpecification")),
        certificate_label=security.member("certificateLabel").text().strip(),
        peer_name=_peer_name(security.member("certificatePeerName")),
    )


def _hosts(element: _Element) -> tuple[tuple[str, int], ...]:
    hosts = []
    for place in element.needed().array():
        host = _host(place.object().member("host").needed())
        hosts.append((host, place.member("port").whole(65535, DEFAULT_PORT, least=1)))
    if not hosts:
        raise element.wrong("lists no host")
    if len(hosts) > HOSTS_MAX:
        raise element.wrong(f"lists {len(hosts)} hosts; {HOSTS_MAX} is the most")
    return tuple(hosts)


def _host(element: _Element) -> str:
    text = element.text().strip()
    return text if is_ipv6(text) else element.checked(lambda: check_host(text, ""))


def _cipher(element: _Element) -> str:
    text = element.text().strip()
    return element.checked(lambda: tls_options.check_cipher(text)) if text else ""


def _peer_name(element: _Element) -> str:
    text = element.text().strip()
    if text:
        element.checked(lambda: check_pattern(text))
    return text


class _Element:
    """A value in the table that knows its place: `channel[0].clientConnection.connection[1].port`."""

    __slots__ = ("path", "table", "value")

    def __init__(self, value: Any, path: str, table: str) -> None:
        self.value = value
        self.path = path
        self.table = table

    @property
    def present(self) -> bool:
        return self.value is not None

    def wrong(self, why: str, reason: int = C.MQRC_CHANNEL_CONFIG_ERROR) -> MQError:
        return bad_value(reason, self.table, f"{self.path} {why}")

    def needed(self) -> _Element:
        if self.value is None:
            raise self.wrong("is missing")
        return self

    def object(self) -> _Element:
        if self.value is not None and not isinstance(self.value, dict):
            raise self.wrong(f"is an object in braces, not {self._shown()}")
        return self

    def member(self, name: str) -> _Element:
        path = name if self.path == "the table" else f"{self.path}.{name}"
        return _Element((self.value or {}).get(name), path, self.table)

    def array(self) -> list[_Element]:
        if not isinstance(self.value, list):
            raise self.wrong(f"is a list in brackets, not {self._shown()}")
        return [_Element(value, f"{self.path}[{at}]", self.table).needed() for at, value in enumerate(self.value)]

    def text(self) -> str:
        if self.value is None:
            return ""
        if not isinstance(self.value, str):
            raise self.wrong(f"is text, not {self._shown()}")
        return self.value

    def whole(self, most: int, default: int, *, least: int = 0) -> int:
        if self.value is None:
            return default
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not least <= self.value <= most:
            raise self.wrong(f"is a number from {least} to {most}, not {self._shown()}")
        return self.value

    def one_of(self, words: dict[str, _T], default: str) -> _T:
        if self.value is None:
            return words[default]
        for word, meaning in words.items():
            if isinstance(self.value, str) and self.value.casefold() == word.casefold():
                return meaning
        raise self.wrong(f"is one of {', '.join(words)}, not {self._shown()}")

    def checked(self, check: Callable[[], _T]) -> _T:
        """What a check of something inside returns; its error gets the place of this."""
        try:
            return check()
        except MQError as error:
            if error.object_name == self.table:
                raise  # it knows already
            raise self.wrong(f"cannot be used: {error.detail}", error.reason) from None

    def _shown(self) -> str:
        text = json.dumps(self.value)
        return text if len(text) <= 60 else text[:57] + "..."
