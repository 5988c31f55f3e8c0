"""docs/reference/channel-in-doubt.md, replayed: every session of the page is run, and must say what the page says.

Comments of the page, which readers do not see, say what happens in between. LIBREMQ_TRANSCRIPTS=update writes what was
said into the page; then read the difference. LUWIDs and ports differ from run to run: which ones are the same counts.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path

from helper_in_doubt import CHANNEL, Doubt, doubt_in
from helper_lines import ANSWERS, QUESTIONS
from helper_peers import wait_until

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "channel-in-doubt.md"
_PART = re.compile(r"<!-- (?P<steps>.*?) -->\n|```\n(?P<session>.*?)```\n", re.DOTALL)
_PROMPT = re.compile(r"(QM\d)> (.*)")
_VARYING = re.compile(r"\b(?!0{16})[0-9A-F]{16}\b|127\.0\.0\.1\(\d+\)")


class Stage:
    """Where the page is played."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._scenes = 0
        self._held = 0
        self._log = ""
        self.doubt: Doubt | None = None

    def step(self, words: str) -> None:
        verb, _, rest = words.partition(" ")
        if verb == "anew":
            self._stack.close()
            self._scenes += 1
            self._held = 0
            self.doubt = self._stack.enter_context(doubt_in(self._folder / str(self._scenes)))
            return
        doubt = self.doubt
        assert doubt is not None
        match verb, rest:
            case "hold", _:
                doubt.line.holds = {"answers": ANSWERS, "questions": QUESTIONS}[rest]
            case "let", "through":
                doubt.line.holds = 0
            case "start", "":
                doubt.start()
                doubt.until_status("QM1", "RUNNING")
            case "stop", "":
                doubt.stop()
            case "put", _:
                doubt.put(int(rest))
            case "until", "held":
                wait_until(lambda: doubt.line.held > self._held)
                self._held = doubt.line.held
            case "until", "stopped":
                doubt.until_stopped()
            case "until", "retrying":
                doubt.until_status("QM1", "RETRYING")
            case "log", _:
                wait_until(lambda: all(doubt.heard(name, rest) for name in doubt.managers))
                found = [doubt.heard(name, rest) for name in doubt.managers]
                self._log = "".join(line.replace(" ", ": ", 1) + "\n" for line in found)
            case _:
                assert words.startswith("until arrived "), words
                wanted = int(words.split()[-1])
                wait_until(lambda: doubt.depth("QM2", "ORDERS") == wanted)
                wait_until(lambda: doubt.status("QM1", "SAVED").get("indoubt") == "NO")

    def session(self, text: str) -> str:
        """Give the commands of a session; the session as it is now."""
        prompts = _PROMPT.findall(text)
        if not prompts:
            return self._log
        assert self.doubt is not None
        lines: list[str] = []
        for name, command in prompts:
            lines += [f"{name}> {command}", *self.doubt.mqsc(name, command)]
        return "\n".join(line.rstrip() for line in lines) + "\n"


def same(text: str) -> str:
    """With what differs from run to run by the order in which it appears, in each scene: queue managers that are made
    anew in the same second may give the same LUWIDs.
    """
    scenes = []
    for scene in text.split("<!-- anew"):
        names: dict[str, str] = {}
        scenes.append(_VARYING.sub(lambda found, names=names: names.setdefault(found[0], f"<{len(names)}>"), scene))
    return "<!-- anew".join(scenes)


def test_the_page(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    with ExitStack() as stack:
        stage = Stage(tmp_path, stack)

        def play(part: re.Match[str]) -> str:
            if part["steps"] is None:
                return f"```\n{stage.session(part['session'])}```\n"
            for words in part["steps"].split("; "):
                stage.step(words)
            return part[0]

        played = _PART.sub(play, text)
    if os.environ.get("LIBREMQ_TRANSCRIPTS") == "update":
        PAGE.write_text(played, encoding="utf-8")
        text = played
    assert same(played) == same(text)
    assert text.count(CHANNEL) > 20
