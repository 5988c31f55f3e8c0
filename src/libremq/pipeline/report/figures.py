"""Charts as Plotly figures: the data and the layout that do not depend on light or dark; the page adds the colours.

Names come out of dumps. Plotly reads a little HTML in its texts, so they are escaped here; and it guesses numbers and
dates from names of bars, so the axes say that they are categories.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from libremq.pipeline.report.content import BarChart, Chart, HeatMap, Line, LineChart
from libremq.pipeline.report.wording import visible

_LABEL_CHARACTERS = 26
_BAR_HEIGHT, _ROW_HEIGHT = 26, 22


def figure(chart: Chart) -> dict[str, Any]:
    """`data` and `layout` of a chart. Colours are names of the page's palette, such as `series-1`."""
    if isinstance(chart, LineChart):
        return _lines(chart)
    if isinstance(chart, BarChart):
        return _bars(chart)
    return _heat(chart)


def _lines(chart: LineChart) -> dict[str, Any]:
    data: list[dict[str, Any]] = []
    for number, line in enumerate(chart.lines):
        colour = f"series-{number % 8 + 1}"
        if line.low:
            data += _band(line, colour)
        data.append(
            {
                "type": "scatter",
                "mode": "lines" if len(line.times) > 1 else "markers",
                "name": _label(line.name),
                "x": [_moment(time) for time in line.times],
                "y": list(line.values),
                "connectgaps": False,
                "line": {"width": 1.8, "color": colour, "dash": "dash" if line.dashed else "solid"},
                "marker": {"color": colour},
                "hovertemplate": f"%{{x|%a %d %b %H:%M}}<br>%{{y:,.4~g}} {_escaped(chart.unit)}",
            }
        )
    shapes, notes = [], []
    written = {"showarrow": False, "font": {"size": 11, "color": "limit"}, "bgcolor": "paper", "borderpad": 1}
    for limit in chart.limits:
        shapes.append(_level(limit.value))
        place = {"xref": "paper", "x": 1, "xanchor": "right", "y": limit.value, "yanchor": "bottom"}
        notes.append({**written, **place, "text": _escaped(limit.text)})
    for moment, text in chart.marks:
        at = _moment(moment)
        line_style = {"width": 1.4, "color": "limit", "dash": "dot"}
        shapes.append({"type": "line", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": line_style})
        place = {"yref": "paper", "x": at, "y": 1, "yanchor": "top", "xanchor": "right"}
        notes.append({**written, **place, "text": _escaped(text)})
    axis = {"title": {"text": _escaped(chart.unit)}, "rangemode": "tozero", "automargin": True}
    layout = {
        "height": 340,
        "hovermode": "x unified" if len(chart.lines) <= 8 else "closest",
        "showlegend": len(chart.lines) > 1,
        "xaxis": {"type": "date", "automargin": True},
        "yaxis": axis,
        "shapes": shapes,
        "annotations": notes,
    }
    if chart.top is not None:
        layout["yaxis"] = {**axis, "range": [0, chart.top]}
    return {"data": data, "layout": layout}


def _band(line: Line, colour: str) -> list[dict[str, Any]]:
    times = [_moment(time) for time in line.times]
    edge = {"type": "scatter", "mode": "lines", "x": times, "hoverinfo": "skip", "showlegend": False}
    return [
        {**edge, "y": list(line.low), "line": {"width": 0, "color": colour}},
        {**edge, "y": list(line.high), "line": {"width": 0, "color": colour}, "fill": "tonexty", "fillcolor": colour},
    ]


def _level(value: float) -> dict[str, Any]:
    line = {"width": 1.4, "color": "limit", "dash": "dash"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value, "line": line}


def _bars(chart: BarChart) -> dict[str, Any]:
    # Cut names may be equal: the place on the axis is the number, the name its tick.
    places = list(range(len(chart.names)))
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": _label(bars.name),
            "y": places,
            "x": list(bars.values),
            "customdata": [_escaped(name) for name in chart.names],
            "marker": {"color": f"series-{number % 8 + 1}"},
            "hovertemplate": f"%{{customdata}}<br>%{{x:,.4~g}} {_escaped(chart.unit)}",
        }
        for number, bars in enumerate(chart.bars)
    ]
    layout = {
        "height": 110 + _BAR_HEIGHT * len(chart.names),
        "barmode": "stack",
        "bargap": 0.25,
        "showlegend": len(chart.bars) > 1,
        "xaxis": {"title": {"text": _escaped(chart.unit)}, "rangemode": "tozero", "automargin": True, "nticks": 5},
        "yaxis": {
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [_label(name) for name in chart.names],
            "range": [len(chart.names) - 0.5, -0.5],
            "automargin": True,
            "showgrid": False,
        },
    }
    return {"data": data, "layout": layout}


def _heat(chart: HeatMap) -> dict[str, Any]:
    data = [
        {
            "type": "heatmap",
            "x": [_escaped(name) for name in chart.columns],
            "y": [_escaped(name) for name in chart.rows],
            "z": [list(row) for row in chart.values],
            "colorscale": "heat",
            "xgap": 1,
            "ygap": 1,
            "hoverongaps": False,
            "colorbar": {"thickness": 10, "outlinewidth": 0, "tickformat": "~s"},
            "hovertemplate": f"%{{y}}, %{{x}} h<br>%{{z:,.4~g}} {_escaped(chart.unit)}<extra></extra>",
        }
    ]
    layout = {
        "height": 120 + _ROW_HEIGHT * len(chart.rows),
        "xaxis": {"type": "category", "title": {"text": "hour of the day"}, "showgrid": False, "automargin": True},
        "yaxis": {"type": "category", "autorange": "reversed", "showgrid": False, "automargin": True},
    }
    return {"data": data, "layout": layout}


def _moment(time: datetime) -> str:
    whole = time.astimezone(UTC) if time.tzinfo else time
    return whole.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds")


def _label(name: str) -> str:
    """A name that fits beside a chart; names of one application often differ only at their ends, so those stay."""
    if len(name) <= _LABEL_CHARACTERS:
        return _escaped(name)
    return _escaped(f"{name[:12]}…{name[12 + 1 - _LABEL_CHARACTERS :]}")


def _escaped(text: str) -> str:
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
