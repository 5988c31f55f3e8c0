"""Outgoing connections of message channels: from CONNAME to a socket, with TLS if the channel has a CipherSpec.

The places of CONNAME are tried in their order, each with all addresses that its name has, from the local addresses and
ports that LOCLADDR allows. Whatever may wait (names, connections, files with certificates, handshakes) waits off the
loop or has a limit. The channel hears of the first connection that is made, or in one message why there was none.
"""

from __future__ import annotations

import asyncio
import errno
import functools
import os
import re
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from libremq.channels.outgoing_call import OutgoingCall
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.common.names.connection_name import connection_name
from libremq.common.tls.tls_context import client_context
from libremq.common.tls.tls_options import TLSOptions
from libremq.kernel.objects.channel_definitions import CallingChannel
from libremq.mqi.errors import MQError
from libremq.server.admission.key_repository import RepositoryError, calling_options
from libremq.server.admission.tls_peers import handshake_event, handshake_failure, refusal, refusal_event
from libremq.server.net.message_link import MessageLink
from libremq.wire.protocol import ProtocolError

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

_T = TypeVar("_T")
_NAME_S = 30.0  # for the name service
_THREADS = 4
_PORT_MAX = 65535
_TAKEN = frozenset({errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EACCES})
_LOCAL_PLACE = re.compile(r"\s*([^(),\s]*)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*")


class CallFailed(Exception):
    """No connection can be made: with the message that says why."""

    def __init__(self, message: AmqMessage) -> None:
        super().__init__(str(message))
        self.message = message


@dataclass(frozen=True, slots=True)
class LocalPlace:
    """One part of LOCLADDR: an address of this machine, and ports; blank and 0 leave the choice to the system."""

    host: str = ""
    low: int = 0
    high: int = 0

    @property
    def ports(self) -> range:
        return range(self.low, self.high + 1)


def parse_local_address(text: str) -> tuple[LocalPlace, ...]:
    """LOCLADDR: `address(low,high)`, each part of which may be missing; several with commas. ValueError otherwise."""
    places: list[LocalPlace] = []
    text = text.strip()
    at = 0
    while at < len(text):
        found = _LOCAL_PLACE.match(text, at)
        if found is None or found.end() == at or (found.end() < len(text) and text[found.end()] != ","):
            raise ValueError(f"LOCLADDR({text[:64]}) is not like address(low,high)")
        low = int(found[2] or 0)
        high = int(found[3] or low)
        if not 0 <= low <= high <= _PORT_MAX:
            raise ValueError(f"LOCLADDR({text[:64]}): ports go from 1 to {_PORT_MAX}, the lower one first")
        places.append(LocalPlace(found[1].removeprefix("[").removesuffix("]"), low, high))
        at = found.end() + 1
    return tuple(places) or (LocalPlace(),)


_Address = tuple[int, Any]  # family and address of a socket


class CallingLink(MessageLink):
    """A connection that is made here: what comes over it before there is an agent waits for the agent to judge it."""

    __slots__ = ()

    def _not_the_protocol(self, error: ProtocolError) -> None:
        if self.agent is not None:
            super()._not_the_protocol(error)


class Dialer:
    """Makes the connections that the initiator of one queue manager asks for."""

    def __init__(self, event_loop: EventLoop) -> None:
        self._event_loop = event_loop
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="libremq-dial")

    def dial(self, call: OutgoingCall) -> None:
        """From any thread that holds the kernel's lock."""
        self._event_loop.soon(lambda: self._begin(call))

    def _begin(self, call: OutgoingCall) -> None:
        task = self._event_loop.loop.create_task(self._dial(call))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _dial(self, call: OutgoingCall) -> None:
        event_loop = self._event_loop
        try:
            link = await self._connected(call)
        except CallFailed as error:
            self._failed(call, error.message)
            return
        except Exception as error:
            event_loop.note_unexpected(call.conname, error)
            self._failed(call, amq(9202, call.conname, f"{type(error).__name__}: {error}"))
            return
        try:
            link.begin(lambda: call.build(link, link.described()))
        except Exception as error:  # nobody wants it any more, or a mistake of ours
            event_loop.note_unexpected(call.conname, error)
            link.end()

    def _failed(self, call: OutgoingCall, message: AmqMessage) -> None:
        event_loop = self._event_loop
        with event_loop.lock:
            call.failed(message)
        event_loop.settle()
        event_loop.channels.look()

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await self._event_loop.loop.run_in_executor(self._threads, work)

    # From CONNAME to a link

    async def _connected(self, call: OutgoingCall) -> MessageLink:
        """The first place that answers. CallFailed if none does."""
        channel = call.channel
        try:
            places = connection_name(call.conname, "CONNAME")
            local = parse_local_address(channel.locladdr)
        except (MQError, ValueError) as error:
            detail = error.detail if isinstance(error, MQError) else str(error)
            raise CallFailed(amq(9202, call.conname, detail)) from None
        options = await self._tls_options(channel)
        failures: list[tuple[str, AmqMessage | str]] = []
        for host, port in places:
            where = f"{host}({port})"
            if call.cancelled:
                break
            try:
                return await self._connected_to(channel, host, port, local, options)
            except CallFailed as error:
                failures.append((where, error.message))
            except OSError as error:
                failures.append((where, _words(error)))
        if call.cancelled:
            raise CallFailed(amq(9528, channel.name, "it had not reached the other end"))
        explained = [message for _, message in failures if isinstance(message, AmqMessage)]
        if explained:
            raise CallFailed(explained[-1])
        if len(failures) == 1:
            raise CallFailed(amq(9202, *failures[0]))
        raise CallFailed(amq(9202, call.conname, "; ".join(f"{where}: {words}" for where, words in failures)))

    async def _tls_options(self, channel: CallingChannel) -> TLSOptions | None:
        if not channel.sslciph.strip():
            return None
        event_loop = self._event_loop
        try:
            return await self._in_thread(lambda: calling_options(event_loop.manager, event_loop.folder, channel))
        except RepositoryError as error:
            raise CallFailed(error.message) from None

    async def _connected_to(
        self, channel: CallingChannel, host: str, port: int, local: tuple[LocalPlace, ...], options: TLSOptions | None
    ) -> MessageLink:
        addresses = await self._resolve(host, port)
        last: OSError | None = None
        for family, address in addresses:
            try:
                connection = await self._socket(family, address, local)
            except OSError as error:
                last = error
                continue
            return await self._link(channel, host, f"{address[0]}({address[1]})", connection, options)
        raise last or OSError(errno.EADDRNOTAVAIL, "it has no address")

    async def _resolve(self, host: str, port: int, flags: int = 0) -> list[_Address]:
        """All addresses of a name. OSError if there are none, or nobody says so in time."""
        lookup = functools.partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        try:
            # An address needs no name service, and must not wait behind names that do
            found = lookup(flags=flags | socket.AI_NUMERICHOST)
            return list(dict.fromkeys((family, address) for family, _, _, _, address in found))
        except (OSError, UnicodeError, ValueError):
            pass
        try:
            async with asyncio.timeout(_NAME_S):
                found = await self._in_thread(lambda: lookup(flags=flags))
        except TimeoutError:
            raise OSError(errno.ETIMEDOUT, f"the name service did not answer for {_NAME_S:.0f} seconds") from None
        except socket.gaierror as error:
            raise OSError(errno.EADDRNOTAVAIL, f"its name is not known: {error.strerror}") from None
        except (UnicodeError, ValueError):
            raise OSError(errno.EINVAL, "it is no name of a host") from None
        return list(dict.fromkeys((family, address) for family, _, _, _, address in found))

    async def _socket(self, family: int, address: Any, local: tuple[LocalPlace, ...]) -> socket.socket:
        """A connected socket to one address. A local port that is taken leads to the next one."""
        event_loop = self._event_loop
        patience_s = event_loop.limits.connect_s
        last: OSError | None = None
        for source in await self._sources(family, local):
            connection = socket.socket(family, socket.SOCK_STREAM)
            try:
                connection.setblocking(False)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if source is not None:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    connection.bind(source)
                async with asyncio.timeout(patience_s):
                    await event_loop.loop.sock_connect(connection, address)
                return connection
            except TimeoutError:
                connection.close()
                raise OSError(errno.ETIMEDOUT, f"it did not answer for {patience_s:g} seconds") from None
            except OSError as error:
                connection.close()
                words = os.strerror(error.errno) if error.errno else str(error)
                if source is None or error.errno not in _TAKEN:
                    raise OSError(error.errno, words) from None
                last = OSError(error.errno, f"LOCLADDR cannot be used, {source[0]}({source[1]}): {words}")
            except BaseException:
                connection.close()
                raise
        raise last or OSError(errno.EADDRNOTAVAIL, "LOCLADDR has no address of the kind that the other end has")

    async def _sources(self, family: int, local: tuple[LocalPlace, ...]) -> list[Any]:
        """The local addresses to bind to, in their order; None for what the system chooses."""
        sources: list[Any] = []
        for place in local:
            if not place.host and not place.low:
                return [*sources, None]
            wildcard = "::" if family == socket.AF_INET6 else "0.0.0.0"
            try:
                found = await self._resolve(place.host or wildcard, 0, socket.AI_PASSIVE)
            except OSError as error:
                raise OSError(error.errno, f"LOCLADDR cannot be used, {place.host}: {_words(error)}") from None
            hosts = [address for one, address in found if one == family]
            sources += [(host[0], port, *host[2:]) for host in hosts for port in place.ports]
        return sources

    async def _link(
        self, channel: CallingChannel, host: str, where: str, connection: socket.socket, options: TLSOptions | None
    ) -> MessageLink:
        """The link over a connected socket: after the handshake, if there is to be one."""
        event_loop = self._event_loop
        link = CallingLink(event_loop, where)
        link.channel = channel.name
        keys: dict[str, Any] = {}
        event_loop.sockets += 1
        try:
            if options is not None:
                context, name = await self._context(channel, options, host)
                keys = {"ssl": context, "server_hostname": name, "ssl_handshake_timeout": event_loop.limits.connect_s}
            await event_loop.loop.create_connection(lambda: link, sock=connection, **keys)
        except BaseException as error:
            connection.close()
            event_loop.sockets -= 1
            if options is not None and isinstance(error, ssl.SSLError | OSError | TimeoutError | EOFError):
                handshake_event(event_loop, error, where, calling=channel)
                raise CallFailed(handshake_failure(error, where)) from None
            raise
        refused = refusal(channel, link.tls, where)
        if refused is not None:
            xmitq = getattr(channel, "xmitq", "")
            refusal_event(event_loop, refused[0], channel.name, link.tls, where, xmitq=xmitq, called=False)
            link.end()
            raise CallFailed(refused[1])
        return link

    async def _context(self, channel: CallingChannel, options: TLSOptions, host: str) -> tuple[ssl.SSLContext, str]:
        try:
            return await self._in_thread(lambda: client_context(options, host, channel.name))
        except MQError as error:
            raise CallFailed(amq(9660, options.ca or options.certificate, error.detail)) from None


def _words(error: OSError) -> str:
    return error.strerror or str(error)
