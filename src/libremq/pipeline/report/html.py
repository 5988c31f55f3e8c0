"""The report as one HTML file that needs nothing else: style, script, data and the chart library are inside.

Names in a dump are whatever someone put there. Jinja escapes all of them, figures escape theirs, and a content security
policy lets only the two scripts run whose digests it names and lets nothing be fetched, so that a slip in the first two
would still not run foreign code. The chart library is packed (Plotly's whole script is 4.8 MB; the package brings no
smaller one) and the page unpacks it itself.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from libremq.pipeline.plain_text import shown
from libremq.pipeline.report.content import Report, Table
from libremq.pipeline.report.figures import figure
from libremq.pipeline.report.wording import counted, day_and_time, figure_of, listed, rounded, visible
from libremq.pipeline.rules.rule import SEVERITIES

_EVIDENCE = (
    ("Queue manager", "text"),
    ("Object", "text"),
    ("Intervals", "number"),
    ("Worst", "number"),
    ("Threshold", "number"),
    ("What was seen there", "text"),
    ("Worst at", "time"),
    ("First", "time"),
    ("Last", "time"),
)


def as_html(report: Report) -> str:
    """The whole page."""
    # Files of ours: they are markup, not text to be escaped.
    script, css = Markup(_own("page.js")), Markup(_own("page.css"))
    packed, digest = _plotly()
    names = {name for group in report.found.groups for name in group.queue_managers}
    return (
        _environment()
        .from_string(_own("template.html.j2"))
        .render(
            report=report,
            figures={chart.id: figure(chart) for chart in report.charts},
            severities=SEVERITIES,
            qmgrs=sorted(names),
            evidence_columns=_EVIDENCE,
            css=css,
            script=script,
            plotly=packed,
            script_sources=Markup(f"'{_digest(script)}' '{digest}'"),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_finalized)
    environment.filters.update(
        shown=shown,
        rounded=rounded,
        counted=counted,
        listed=listed,
        moment=day_and_time,
        epoch=datetime.timestamp,
        finite=_finite,
        figure=figure_of,
        json=_json,
        kinds=_kinds,
    )
    environment.tests["time"] = lambda value: isinstance(value, datetime)
    return environment


def _finalized(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _own(name: str) -> str:
    return resources.files("libremq.pipeline.report").joinpath(name).read_text(encoding="utf-8")


@cache
def _plotly() -> tuple[str, str]:
    """Plotly's script packed, and its digest as it will run."""
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    packed = gzip.compress(script.encode(), 9, mtime=0)
    return base64.b64encode(packed).decode(), _digest(script)


def _digest(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _finite(value: float) -> str:
    return repr(value) if math.isfinite(value) else ""


def _json(values: Iterable[str]) -> str:
    return json.dumps([visible(value) for value in values])


def _kinds(table: Table) -> list[str]:
    """For each column `number`, `time` or `text`, by the first value that is there."""
    kinds = []
    for at in range(len(table.columns)):
        value = next((row[at] for row in table.rows if row[at] is not None), "")
        if isinstance(value, datetime):
            kinds.append("time")
        else:
            kinds.append("number" if isinstance(value, int | float) and not isinstance(value, bool) else "text")
    return kinds
