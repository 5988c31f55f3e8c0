"""The page in a real browser with its network off: no error, all charts drawn, tables sort, fits a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_browser import Page, browser
from helper_report_content import a_report, an_empty_report

pytest.importorskip("jinja2")
pytest.importorskip("plotly")

from libremq.pipeline.report import write

WIDE, PHONE = (1280, 900), (390, 844)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("report")
    made = {"full": a_report(), "empty": an_empty_report()}
    for name, report in made.items():
        write(report, folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as opened:
        yield opened


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_charts_are_drawn_without_error_or_network(
    page: Page, files: dict[str, Path], size: tuple[int, int], dark: bool
) -> None:
    page.size(*size, dark=dark, phone=size == PHONE)
    page.open(files["full"])
    charts = a_report().charts
    assert page.errors == []
    assert page.run("document.documentElement.dataset.charts") == str(len(charts))
    drawn = "[...document.querySelectorAll('.plot')].filter((each) => each.querySelector(DRAWN)).length"
    marks = "'.scatterlayer .js-line, .barlayer .point path, .heatmaplayer image'"
    assert page.run(drawn.replace("DRAWN", marks)) == len(charts)
    assert {address.partition(":")[0] for address in page.requests} <= {"file", "data"}
    assert len([address for address in page.requests if address.startswith("file:")]) == 1
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    assert page.run("[...document.querySelectorAll('.plot')].every((each) => each.scrollWidth <= each.clientWidth)")


def test_text_is_readable_in_light_and_dark(page: Page, files: dict[str, Path]) -> None:
    """Contrast of text and its ground, as WCAG computes it, is at least 4.5."""
    ratio = """(() => {
      const lightness = (name) => {
        const hex = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
        const part = (at) => { const c = parseInt(hex.slice(at, at + 2), 16) / 255;
          return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
        return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
      };
      return [["ink", "paper"], ["quiet", "paper"], ["quiet", "panel"], ["link", "paper"], ["link", "panel"],
        ["severe", "severe-tint"], ["warning", "warning-tint"], ["info", "info-tint"], ["limit", "paper"]]
        .map(([text, ground]) => [lightness(text), lightness(ground)].sort().reverse())
        .map(([light, dark]) => (light + 0.05) / (dark + 0.05));
    })()"""
    for dark in (False, True):
        page.size(*WIDE, dark=dark)
        page.open(files["full"])
        assert min(page.run(ratio)) >= 4.5


def test_a_click_on_a_heading_sorts_the_table(page: Page, files: dict[str, Path]) -> None:
    page.size(*WIDE)
    page.open(files["full"])
    column = "[...document.querySelectorAll('#table-queues-table tbody tr')].map((row) => row.cells[2].textContent)"
    click = "document.querySelectorAll('#table-queues-table th button')[2].click()"
    messages = sorted((place * 37 % 11 for place in range(12)), reverse=True)
    page.run(click)
    assert page.run(column) == [*map(str, messages), "–"], "the largest first, what is not known last"
    page.run(click)
    assert page.run(column) == [*map(str, reversed(messages)), "–"]
    assert page.run("document.querySelectorAll('#table-queues-table th')[2].getAttribute('aria-sort')") == "ascending"
    page.run("document.querySelectorAll('#table-queues-table th button')[1].click()")
    names = page.run(
        "[...document.querySelectorAll('#table-queues-table tbody tr')].map((row) => row.cells[1].innerText)"
    )
    assert names.index("APP.2") < names.index("APP.10"), "numbers in names sort as numbers"


def test_findings_can_be_filtered(page: Page, files: dict[str, Path]) -> None:
    page.size(*WIDE)
    page.open(files["full"])
    seen = "[...document.querySelectorAll('.finding:not([hidden])')].map((each) => each.id)"
    change = "document.querySelector('#finding-tools').dispatchEvent(new Event('input', {bubbles: true}))"
    assert len(page.run(seen)) == 3
    page.run(f"document.querySelector('#finding-tools input[value=info]').checked = false; {change}")
    assert page.run(seen) == ["rule-pool-nearly-full", "rule-queue-failed-puts"]
    page.run(f"document.querySelector('#finding-tools select').value = 'QM03'; {change}")
    assert page.run(seen) == ["rule-pool-nearly-full"]
    page.run(f"document.querySelector('#finding-tools input[type=search]').value = 'no such words'; {change}")
    assert page.run(seen) == []
    assert page.run("document.querySelector('#finding-tools output').textContent") == "0 of 3 shown"


def test_a_table_can_be_filtered(page: Page, files: dict[str, Path]) -> None:
    page.size(*WIDE)
    page.open(files["full"])
    page.run(
        "(() => { const input = document.querySelector('input[data-table=table-queues-table]');"
        " input.value = 'app.1'; input.dispatchEvent(new Event('input')); })()"
    )
    seen = (
        "[...document.querySelectorAll('#table-queues-table tbody tr:not([hidden])')].map((r) => r.cells[1].innerText)"
    )
    assert page.run(seen) == ["APP.1", "APP.10", "APP.11"]


def test_printing_unfolds_the_evidence_and_folds_it_again(page: Page, files: dict[str, Path]) -> None:
    page.size(*WIDE, dark=True)
    page.open(files["full"])
    unfolded = "document.querySelectorAll('.finding details[open]').length"
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run(unfolded) == 3
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run(unfolded) == 0
    assert page.errors == []


def test_a_script_that_a_name_smuggled_in_would_not_run(page: Page, files: dict[str, Path], tmp_path: Path) -> None:
    """The second line of defence: even without escaping, the policy of the page refuses foreign script."""
    opened = tmp_path / "open.html"
    whole = files["full"].read_text("utf-8")
    opened.write_text(
        whole.replace("<main>", "<main><script>window.taken = 1</script><img src=x onerror='window.taken=1'>")
    )
    page.size(*WIDE)
    page.open(opened)
    assert page.run("window.taken === undefined")
    assert any("Content Security Policy" in error for error in page.errors)
    page.open(files["full"])
    assert page.run("document.querySelectorAll('main img').length") == 0


def test_an_empty_report_opens(page: Page, files: dict[str, Path]) -> None:
    page.size(*PHONE, phone=True)
    page.open(files["empty"])
    assert page.errors == []
    assert "Findings were not made" in page.run("document.body.innerText")
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
