"""MQSERVER and connection names."""

from __future__ import annotations

import pytest

from libremq import MQError
from libremq.client import mqserver, urls
from libremq.client.urls import ClientAddress
from libremq.mqi import constants as C


@pytest.mark.parametrize(
    ("text", "channel", "hosts"),
    [
        ("DEV.APP.SVRCONN/TCP/host(1500)", "DEV.APP.SVRCONN", [("host", 1500)]),
        (" A/tcp/host ", "A", [("host", 1414)]),
        ("A/TCP/h1(1), h2 ( 2 ) ,h3", "A", [("h1", 1), ("h2", 2), ("h3", 1414)]),
        ("A/B/TCP/h", "A/B", [("h", 1414)]),
        ("A/TCP/::1(1500),[2001:db8::1](2),10.0.0.1", "A", [("::1", 1500), ("2001:db8::1", 2), ("10.0.0.1", 1414)]),
    ],
)
def test_what_it_says(text: str, channel: str, hosts: list[tuple[str, int]]) -> None:
    assert mqserver.parse(text) == (channel, tuple(hosts))


@pytest.mark.parametrize(
    ("text", "reason", "says"),
    [
        ("host(1414)", C.MQRC_CHANNEL_CONFIG_ERROR, "DEV.APP.SVRCONN/TCP/host(1414)"),
        ("A/host(1414)", C.MQRC_CHANNEL_CONFIG_ERROR, "DEV.APP.SVRCONN/TCP/host(1414)"),
        ("A/LU62/host(1414)", C.MQRC_CHANNEL_CONFIG_ERROR, "'LU62' is no transport"),
        ("/TCP/host", C.MQRC_CHANNEL_CONFIG_ERROR, "not a channel name"),
        ("A B/TCP/host", C.MQRC_CHANNEL_CONFIG_ERROR, "not a channel name"),
        ("A/TCP/", C.MQRC_HOST_NOT_AVAILABLE, "names no host"),
        ("A/TCP/host,", C.MQRC_HOST_NOT_AVAILABLE, "names no host"),
        ("A/TCP/host:1414", C.MQRC_HOST_NOT_AVAILABLE, "host(1414)"),
        ("A/TCP/host(1414", C.MQRC_HOST_NOT_AVAILABLE, "parentheses"),
        ("A/TCP/host(1414)x", C.MQRC_HOST_NOT_AVAILABLE, "parentheses"),
        ("A/TCP/host()", C.MQRC_HOST_NOT_AVAILABLE, "1 to 65535"),
        ("A/TCP/host(70000)", C.MQRC_HOST_NOT_AVAILABLE, "1 to 65535"),
        ("A/TCP/" + ",".join("h" * 65), C.MQRC_HOST_NOT_AVAILABLE, "64 is the most"),
    ],
)
def test_what_is_wrong_with_it(text: str, reason: int, says: str) -> None:
    with pytest.raises(MQError) as caught:
        mqserver.parse(text)
    assert caught.value.reason == reason
    assert "MQSERVER" in str(caught.value)
    assert says in str(caught.value)


def test_its_url() -> None:
    url = mqserver.url("A/B/TCP/::1(1500),host", "*QM1")
    assert urls.parse(url) == ClientAddress("mq", "*QM1", hosts=(("::1", 1500), ("host", 1414)), channel="A/B")
