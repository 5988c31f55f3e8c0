// Charts, sorting and filters of the report. Nothing here loads anything: the page works without a network.
"use strict";
(() => {
  const page = document.documentElement;
  const figures = JSON.parse(document.getElementById("figures").textContent);

  // Charts: figures name colours of the palette in page.css, which differs by light and dark.
  const colour = (name) => getComputedStyle(page).getPropertyValue("--" + name).trim();
  const fade = (hex) => hex + "33";
  const heat = () => [[0, colour("heat-0")], [0.5, colour("heat-1")], [1, colour("heat-2")]];
  const painted = (value, key) => {
    if (Array.isArray(value)) return value.map((each) => painted(each, ""));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, painted(each, name)]));
    }
    if (key === "color" || key === "bgcolor") return colour(value);
    if (key === "fillcolor") return fade(colour(value));
    if (key === "colorscale") return heat();
    return value;
  };
  // Labels are escaped for Plotly: one that holds an entity is left whole rather than cut within it.
  const short = (text) => (text.length > 17 && !text.includes("&") ? text.slice(0, 6) + "…" + text.slice(-10) : text);
  const laidOut = (layout, narrow) => {
    const quiet = colour("quiet"), line = colour("line");
    const axis = (given) => ({
      ...given, gridcolor: line, zerolinecolor: line, linecolor: line, tickcolor: line,
      tickfont: { color: quiet, size: narrow ? 10 : 11 },
      title: { ...(given.title || {}), font: { color: quiet, size: 11 } },
    });
    const made = {
      ...layout,
      autosize: true,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 12, color: colour("ink") },
      margin: { l: 8, r: 8, t: narrow ? 10 : 32, b: 8, autoexpand: true },
      legend: { orientation: "h", x: 0, xanchor: "left", y: -0.18, yanchor: "top", font: { size: 11 }, traceorder: "normal" },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: quiet, activecolor: colour("ink") },
      hoverlabel: { bgcolor: colour("panel"), bordercolor: line, font: { color: colour("ink") } },
      xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis),
    };
    if (narrow && made.yaxis.ticktext) made.yaxis.ticktext = made.yaxis.ticktext.map(short);
    if (narrow && made.xaxis.type === "category") made.xaxis.dtick = 4;
    if (narrow && layout.showlegend) made.height = layout.height + 60;
    return made;
  };
  const draw = (place) => {
    const given = figures[place.dataset.chart];
    const narrow = place.clientWidth < 520;
    const layout = laidOut(painted(given.layout, ""), narrow);
    const data = painted(given.data, "");
    if (narrow) data.forEach((trace) => { if (trace.type === "heatmap") trace.showscale = false; });
    const options = { responsive: true, displaylogo: false, ...(narrow ? { displayModeBar: false } : {}),
      scrollZoom: false, modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]] };
    return Plotly.react(place, data, layout, options);
  };
  const places = [...document.querySelectorAll(".plot")];
  const drawAll = () => Promise.all(places.map(draw));
  const unpack = async () => {
    const packed = Uint8Array.from(atob(document.getElementById("plotly").textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  };
  const start = async () => {
    if (!places.length) return;
    try {
      await unpack();
      await drawAll();
      page.dataset.charts = String(places.length);
    } catch (trouble) {
      for (const place of places) {
        if (place.querySelector("svg")) continue;
        place.innerHTML = "<p class='failed'>This browser cannot draw the chart; the tables have the figures.</p>";
      }
      page.dataset.charts = "failed";
      console.error("charts: " + trouble);
    }
  };
  const drawn = () => window.Plotly && page.dataset.charts !== "failed";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (drawn()) drawAll(); });

  // Tables: a click on a heading sorts, another one turns the order around.
  const value = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.v === undefined ? cell.textContent.trim() : cell.dataset.v;
  };
  const compare = (numeric, one, other) =>
    numeric ? Number(one) - Number(other) : one.localeCompare(other, "en", { numeric: true });
  const sort = (heading) => {
    const table = heading.closest("table"), body = table.tBodies[0];
    const at = heading.cellIndex, numeric = heading.dataset.kind === "num";
    const before = heading.getAttribute("aria-sort");
    const down = before ? before === "ascending" : numeric;
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].map((row, place) => ({ row, place, key: value(row, at) }));
    rows.sort((one, other) => {
      if (one.key === "" || other.key === "") return (one.key === "") - (other.key === "") || one.place - other.place;
      return (down ? -1 : 1) * compare(numeric, one.key, other.key) || one.place - other.place;
    });
    body.append(...rows.map((each) => each.row));
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("th button");
    if (button) sort(button.closest("th"));
  });
  for (const input of document.querySelectorAll("input[data-table]")) {
    const rows = [...document.getElementById(input.dataset.table).tBodies[0].rows];
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
  }

  // Findings: by text, severity and queue manager.
  const tools = document.getElementById("finding-tools");
  if (tools) {
    const cards = [...document.querySelectorAll(".finding")];
    const apply = () => {
      const wanted = tools.querySelector("input[type=search]").value.toLowerCase();
      const severities = new Set([...tools.querySelectorAll("input[type=checkbox]:checked")].map((each) => each.value));
      const select = tools.querySelector("select");
      const qmgr = select && select.selectedIndex > 0 ? select.value : null;
      let seen = 0;
      for (const card of cards) {
        const fits = severities.has(card.dataset.severity) && card.textContent.toLowerCase().includes(wanted)
          && (qmgr === null || JSON.parse(card.dataset.qmgrs).includes(qmgr));
        card.hidden = !fits;
        seen += fits ? 1 : 0;
      }
      tools.querySelector("output").textContent = seen + " of " + cards.length + " shown";
    };
    tools.addEventListener("input", apply);
    apply();
  }
  // A link to a finding that a filter hides shows it.
  addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.hidden) target.hidden = false;
  });

  // Paper is white and cannot be unfolded.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    for (const each of folded) each.open = true;
    page.dataset.theme = "light";
    if (drawn()) drawAll();
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
    delete page.dataset.theme;
    if (drawn()) drawAll();
  });
  const contents = document.querySelector("nav details");
  if (contents && matchMedia("(max-width: 1119px)").matches) contents.open = false;
  start();
})();
