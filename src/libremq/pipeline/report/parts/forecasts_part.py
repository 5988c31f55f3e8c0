"""The forecast as charts and a table: what was, what is expected, and the day a limit may be met.

Times of a forecast are days of the system's local time; they are drawn as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

from libremq.pipeline.forecast.result import SeriesForecast
from libremq.pipeline.plain_text import shown
from libremq.pipeline.report.content import Cell, Column, Limit, Line, LineChart, Section, Table
from libremq.pipeline.report.parts.source_part import ROWS_MAX, STRETCHES, number
from libremq.pipeline.report.wording import counted, day

CHARTS_MAX = 6

_ID, _TITLE = "forecast", "Forecast"
_Point = TypeVar("_Point")
_URGENT = ("already over", "reached", "may be reached")


def section(forecasts: Sequence[SeriesForecast]) -> Section:
    """The series that need attention drawn, all in the table."""
    if not forecasts:
        return Section(_ID, _TITLE, notes=("No forecast was made: run `libremq pipeline forecast` first.",))
    ordered = sorted(forecasts, key=lambda each: each.urgency)
    drawn = _to_draw(ordered)
    if not drawn:
        why = "No series has enough history to be forecast."
        return Section(_ID, _TITLE, tables=(_table(ordered),), notes=(why,))
    charts = tuple(_chart(place, each) for place, each in enumerate(drawn, start=1))
    urgent = sum(each.status in _URGENT for each in ordered)
    note = f"{urgent} of {len(ordered)} series are over their limit or may come to it. {len(drawn)} are drawn."
    return Section(_ID, _TITLE, charts, (_table(ordered),), (note,))


def _to_draw(ordered: Sequence[SeriesForecast]) -> list[SeriesForecast]:
    """The urgent ones; then, of each measure, the one that comes nearest to its limit."""
    able = [each for each in ordered if each.history and each.predicted]
    urgent = [each for each in able if each.status in _URGENT]
    calm = sorted((each for each in able if each.status not in _URGENT), key=_room)
    first_of_measure = {each.measure: each for each in reversed(calm)}
    return [*urgent, *sorted(first_of_measure.values(), key=_room)][:CHARTS_MAX]


def _room(forecast: SeriesForecast) -> float:
    """Share of the limit that is left at the upper bound; without a limit there is all of it."""
    if not forecast.limit:
        return 1.0
    return 1 - max(each[3] for each in forecast.predicted) / forecast.limit


def nearest(forecasts: Sequence[SeriesForecast]) -> str:
    """What is over its limit and what reaches it next, in sentences; empty if nothing does."""
    ordered = sorted(forecasts, key=lambda each: each.urgency)
    over = [each for each in ordered if each.status == "already over"]
    coming = [each for each in ordered if each.status in ("reached", "may be reached")]
    told = []
    if over:
        first = over[0]
        more = f" and {counted(len(over) - 1, 'series', 'series')} more" if len(over) > 1 else ""
        told.append(f"Over its limit by now: {first.label} ({shown(first.limit)} {first.unit}){more}.")
    if coming:
        told.append(f"Next to run out: {coming[0].as_text()[0]}.")
    return " ".join(told)


def _chart(place: int, forecast: SeriesForecast) -> LineChart:
    history = _thinned(forecast.history)
    predicted = _thinned(forecast.predicted)
    past = Line("measured", tuple(_day(at) for at, _ in history), tuple(value for _, value in history))
    future = Line(
        "expected",
        tuple(_day(each[0]) for each in predicted),
        tuple(each[1] for each in predicted),
        tuple(each[2] for each in predicted),
        tuple(each[3] for each in predicted),
        dashed=True,
    )
    limits: tuple[Limit, ...] = ()
    if forecast.limit is not None:
        limits = (Limit(forecast.limit, f"{forecast.limit_words or 'limit'} {shown(forecast.limit)} {forecast.unit}"),)
    reached = forecast.reached if forecast.status == "reached" else None
    marks = ((_day(reached), f"reached about {day(reached)}"),) if reached else ()
    top = _top(forecast)
    beyond = " The interval reaches beyond the chart." if top else ""
    return LineChart(
        f"forecast-{place}",
        forecast.label,
        f"{forecast.as_text()[0]}.{beyond}",
        forecast.unit,
        (past, future),
        limits,
        marks,
        top,
    )


def _top(forecast: SeriesForecast) -> float | None:
    """The end of the axis where a wide interval would press everything else to the ground."""
    seen = max(value for _, value in forecast.history)
    enough = 1.2 * max(seen, forecast.limit or 0.0, *(each[1] for each in forecast.predicted))
    if forecast.limit:
        enough = max(1.2 * seen, 2 * forecast.limit)
    highest = max(each[3] for each in forecast.predicted)
    return enough if highest > 1.5 * enough > 0 else None


def _thinned(points: Sequence[_Point]) -> list[_Point]:
    """Every so-manieth point, the last one always."""
    step = max(1, -(-len(points) // STRETCHES))
    return [*points[:-1][::step], *points[-1:]]


def _day(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _table(forecasts: Sequence[SeriesForecast]) -> Table:
    columns = (
        Column("Queue manager"),
        Column("Series"),
        Column("Unit"),
        Column("Limit"),
        Column("Growth a week", "%"),
        Column("at least", "%"),
        Column("at most", "%"),
        Column("Outcome"),
        Column("Reached about"),
        Column("Not before"),
        Column("Not after"),
        Column("Days held back inside", "%"),
        Column("Remark"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            each.qmgr,
            each.title,
            each.unit,
            number(each.limit),
            number(each.growth_per_week),
            number(each.growth_low),
            number(each.growth_high),
            each.status,
            _date(each.reached),
            _date(each.reached_early),
            _date(each.reached_late),
            None if each.backtest_coverage is None else 100 * each.backtest_coverage,
            " ".join(part for part in (each.note, "" if each.limit is not None else each.limit_source) if part),
        )
        for each in forecasts[:ROWS_MAX]
    ]
    return Table("forecasts", "All series, the most urgent first", columns, tuple(rows), len(forecasts))


def _date(moment: datetime | None) -> str | None:
    return f"{moment:%Y-%m-%d}" if moment else None
