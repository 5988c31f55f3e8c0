"""The report as HTML, Markdown and JSON, without a browser: nothing fetched, nothing injected, nothing left out."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from helper_report_content import HOSTILE, MONDAY, a_report, an_empty_report

pytest.importorskip("jinja2")
plotly_objects = pytest.importorskip("plotly.graph_objects")

from libremq.pipeline.report import FORMS, as_dict, rendered, write  # noqa: E402
from libremq.pipeline.report.content import BarChart, Bars, Line, LineChart  # noqa: E402
from libremq.pipeline.report.figures import figure  # noqa: E402
from libremq.pipeline.report.markdown import ROWS_MAX, escaped  # noqa: E402

SIZE_MAX = 2_500_000
"""Of a page: the packed chart library has 1.96 MB of it."""


class Reader(HTMLParser):
    """Tags with their attributes, and the text of each script by its identifier."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._inside: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = (dict(attrs).get("id") or "own") if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self.scripts[self._inside] = self.scripts.get(self._inside, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def attributes(self, name: str) -> Iterator[str]:
        return (value or "" for _, attributes in self.tags for key, value in attributes.items() if key == name)


@cache
def page() -> str:
    return rendered(a_report())


@cache
def read() -> Reader:
    reader = Reader()
    reader.feed(page())
    return reader


def test_the_page_loads_nothing() -> None:
    tags = {tag for tag, _ in read().tags}
    assert not tags & {"iframe", "object", "embed", "base", "img", "video", "audio", "source", "track", "frame"}
    assert not list(read().attributes("src")) + list(read().attributes("srcset"))
    assert {link.partition("#")[0] for link in read().attributes("href")} == {"", "data:,"}
    without_library = page().replace(read().scripts["plotly"], "")
    assert "url(" not in without_library
    assert "@import" not in without_library
    assert not re.findall(r"https?://", without_library)


def test_only_the_two_scripts_with_their_digests_may_run() -> None:
    policy = next(value for value in read().attributes("content") if value.startswith("default-src"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    (allowed,) = re.findall(r"script-src ([^;]*);", policy)
    library = gzip.decompress(base64.b64decode(read().scripts["plotly"]))
    digests = [hashlib.sha256(text).digest() for text in (read().scripts["own"].encode(), library)]
    assert allowed.split() == [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    assert "unsafe" not in allowed


def test_names_from_dumps_stay_names() -> None:
    tags = read().tags
    assert not [attributes for _, attributes in tags if any(name.startswith("on") for name in attributes)]
    assert [tag for tag, _ in tags].count("script") == 3
    assert page().count("</script>") == 3
    assert "7*7" in page(), "a template in a name must not be evaluated"
    assert "\x00" not in page()
    assert "\u202e" not in page()


def test_figures_in_the_page_are_those_of_the_report() -> None:
    figures = json.loads(read().scripts["figures"])
    charts = a_report().charts
    assert set(figures) == {chart.id for chart in charts}
    assert figures["top-queues"]["data"][0]["x"] == [400.0, 200.0, None]
    places = [attributes["data-chart"] for tag, attributes in read().tags if (attributes.get("class") or "") == "plot"]
    assert places == [chart.id for chart in charts]


def coloured(value: Any, key: str = "") -> Any:
    """A figure with real colours in place of names of the palette, as the page's script does it."""
    if isinstance(value, dict):
        return {name: coloured(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [coloured(each) for each in value]
    if key in ("color", "fillcolor", "bgcolor"):
        assert re.fullmatch(r"series-[1-8]|limit|paper", value)
        return "#000000"
    return "Blues" if key == "colorscale" else value


def test_plotly_knows_every_property_of_the_figures() -> None:
    for chart in a_report().charts:
        made = coloured(figure(chart))
        checked = plotly_objects.Figure(made)
        assert len(checked.data) == len(made["data"])


def test_chart_texts_cannot_hold_markup() -> None:
    for chart in a_report().charts:
        assert "<img" not in json.dumps(figure(chart))
        assert "</script" not in json.dumps(figure(chart))


def test_bars_with_names_like_numbers_and_dates_keep_their_names() -> None:
    chart = next(chart for chart in a_report().charts if isinstance(chart, BarChart))
    axis = figure(chart)["layout"]["yaxis"]
    assert axis["ticktext"][:2] == ["QM01 1234", "QM01 2026-03-02"]
    assert axis["tickvals"] == [0, 1, 2]
    same = replace(chart, names=("A" * 60, "A" * 60 + "B"), bars=(Bars("put", (1.0, 2.0)),))
    assert figure(same)["data"][0]["y"] == [0, 1], "names that are cut to the same text are two bars"


def test_a_series_of_one_point_is_a_point() -> None:
    chart = LineChart("x", "X", "One.", "MB", (Line("QM01", (MONDAY,), (1.0,)),))
    assert figure(chart)["data"][0]["mode"] == "markers"


def test_missing_parts_are_said() -> None:
    assert "No channel initiator records (SMF 115/231)." in page()
    empty = rendered(an_empty_report())
    assert "Findings were not made" in empty
    assert "No buffer pool records" in empty
    assert 'class="plot"' not in empty
    assert 'id="coverage"' not in empty


def test_a_finding_has_all_that_is_needed_to_act() -> None:
    card = page()[page().index('id="rule-pool-nearly-full"') : page().index('id="rule-queue-failed-puts"')]
    for text in ("▲ severe", "12 intervals", "QM01, QM02 and QM03", "3.25 against 5", "2026-03-02 00:00",
                 "stealable_lowest_pct = 3.25", "pool_role = unknown", "value &lt; threshold", "R-BP-3, L1101-L1103",
                 "Evidence (3 objects)"):  # fmt: skip
        assert text in card, text


def test_what_is_left_off_is_said() -> None:
    assert "13 of 400 are shown." in page()
    many = replace(a_report().found.groups[0], objects_in_all=500)
    more = replace(a_report(), found=replace(a_report().found, groups=(many,)))
    assert "The 3 worst of 500 are shown." in rendered(more)
    assert "The 3 worst of 500 are listed." in rendered(more, "markdown")


def test_size_of_the_page() -> None:
    assert len(page().encode()) < SIZE_MAX


def test_markdown_has_the_same_and_its_tables_hold_together() -> None:
    text = rendered(a_report(), "markdown")
    for part in ("# A week of MQ", "### Severe: Pool nearly full", "## Top queues", "## What was not judged"):
        assert part in text
    assert "13 of 400" in text or f"{ROWS_MAX} of 400" in text
    columns = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            columns = 0
            continue
        count = len(re.findall(r"(?<!\\)\|", line))
        assert columns in (0, count), line
        columns = count
    assert "<img" not in text.replace("\\<", "")


def test_markdown_escapes_what_it_would_read() -> None:
    assert escaped("A_B|C*\n<b>`x`") == r"A\_B\|C\* \<b\>\`x\`"


def test_json_is_plain_and_complete() -> None:
    told = json.loads(rendered(a_report(), "json"))
    assert told["format"] == 1
    assert told["made_at"] == "2026-03-06T23:30:00Z"
    assert told["found"]["groups"][0]["rule"] == "pool-nearly-full"
    assert told["found"]["groups"][1]["concerned"][0]["object"] == HOSTILE, "data is not made up for display"
    assert told["sections"][0]["charts"][0]["kind"] == "lines"
    assert told["sections"][2]["tables"][0]["rows"][0][4] == "2026-03-02T00:00:00Z"


def test_json_has_no_figure_that_is_no_number() -> None:
    line = Line("QM01", (MONDAY,), (float("nan"),))
    chart = LineChart("x", "X", "One.", "MB", (line,))
    section = replace(a_report().sections[0], charts=(chart,))
    told = rendered(replace(a_report(), sections=(section,)), "json")
    assert json.loads(told)["sections"][0]["charts"][0]["lines"][0]["values"] == [None]


def test_json_times_are_utc() -> None:
    elsewhere = datetime(2026, 3, 2, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert as_dict(replace(a_report(), made_at=elsewhere))["made_at"] == "2026-03-01T23:30:00Z"
    assert as_dict(replace(a_report(), made_at=datetime(2026, 3, 2, tzinfo=UTC)))["made_at"] == "2026-03-02T00:00:00Z"


@pytest.mark.parametrize("form", FORMS)
def test_writing_replaces_the_file_whole(tmp_path: Path, form: Any) -> None:
    target = tmp_path / "deep" / "report"
    assert write(an_empty_report(), target, form) == target.stat().st_size
    former = target.read_bytes()
    write(a_report(), target, form)
    assert target.read_bytes() != former
    assert [path.name for path in target.parent.iterdir()] == ["report"]


def test_a_report_that_cannot_be_written_leaves_the_former(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    write(a_report(), target, "json")
    former = target.read_bytes()
    with pytest.raises(ValueError, match="written as html, markdown, json, not as 'pdf'"):
        write(a_report(), target, "pdf")  # type: ignore[arg-type]
    target_folder = tmp_path / "folder"
    (target_folder / "inside").mkdir(parents=True)
    with pytest.raises(OSError):
        write(a_report(), target_folder, "json")
    assert target.read_bytes() == former
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "report.json"]


def test_text_that_utf_8_cannot_hold_does_not_cost_the_report(tmp_path: Path) -> None:
    odd = replace(a_report(), title="half a \ud800 pair")
    for form in FORMS:
        assert write(odd, tmp_path / form, form) > 0
