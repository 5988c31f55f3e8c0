"""A real browser without a window, driven through its own protocol: open a file, run script in it, take its picture.

Chromium's network is off throughout, so a page that asks for anything shows it.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_SECONDS = 120


def browser_program() -> str:
    """The browser of this machine; the test is skipped without one."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is on the path")
    return found


class Page:
    """One open page."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._number = 0
        self.errors: list[str] = []
        """What the console and the page reported as errors."""
        self.requests: list[str] = []
        """Addresses the page asked for."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        off = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self.ask("Network.emulateNetworkConditions", **off)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a request of the protocol and wait for its answer; what happens meanwhile is noted."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE_SECONDS))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        what, told = event.get("method"), event.get("params", {})
        if what == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(told["exceptionDetails"])[:500])
        elif what == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(told["args"])[:500])
        elif what == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{told['entry']['text']} {told['entry'].get('url', '')}"[:500])
        elif what == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])

    def size(self, width: int, height: int, *, dark: bool = False, phone: bool = False) -> None:
        measures = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.ask("Emulation.setDeviceMetricsOverride", **measures)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, file: Path) -> None:
        """Open a file and wait until its charts are drawn or given up."""
        self.errors.clear()
        self.requests.clear()
        self.ask("Page.navigate", url=file.as_uri())
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")
        self.wait("!document.querySelector('.plot') || document.documentElement.dataset.charts")

    def wait(self, condition: str) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, f"{condition} did not come true; errors: {self.errors}"
            time.sleep(0.05)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def picture(self, file: Path, *, top: int = 0, width: int = 0, height: int = 0) -> None:
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        more = {"clip": clip, "captureBeyondViewport": True} if width else {}
        answer = self.ask("Page.captureScreenshot", format="png", **more)
        file.write_bytes(base64.b64decode(answer["data"]))


@contextmanager
def browser() -> Iterator[Page]:
    """A browser with one empty page; it is ended with the block."""
    program = browser_program()
    connect = pytest.importorskip("websockets.sync.client", reason="the browser is driven through websockets").connect
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as folder:
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        flags += ["--disable-background-networking", "--disable-component-update", "--hide-scrollbars"]
        flags += ["--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running = subprocess.Popen([program, *flags], env={**os.environ, "HOME": folder}, **quiet)  # type: ignore[call-overload]
        try:
            with connect(_address(Path(folder), running), max_size=None, open_timeout=PATIENCE_SECONDS) as socket:
                yield Page(socket)
        finally:
            running.terminate()
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()


def _address(folder: Path, running: subprocess.Popen[bytes]) -> str:
    """Where the page listens: the browser writes its port into its folder."""
    import urllib.request

    end = time.monotonic() + PATIENCE_SECONDS
    port_file = folder / "DevToolsActivePort"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end:
        assert running.poll() is None, f"the browser ended with {running.returncode}"
        if port_file.exists() and len(lines := port_file.read_text().splitlines()) > 1:
            with direct.open(f"http://127.0.0.1:{lines[0]}/json/list") as answer:
                pages = [each for each in json.load(answer) if each["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
        time.sleep(0.05)
    raise AssertionError("the browser did not say where it listens")
