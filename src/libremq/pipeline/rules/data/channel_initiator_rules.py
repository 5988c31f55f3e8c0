"""Rules about the channel initiator: storage, adapters, dispatchers, TLS tasks, name resolution, limits."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="chinit-storage-31-high", subject="channel_initiator", severity="warning",
        when="value > threshold", value="100 * storage_31_mb / chinit_region_mb", threshold=80,
        advice="The channel initiator uses {storage_31_mb:,.0f} of {chinit_region_mb:,.0f} MB ({value:.0f} %) of"
        " 31-bit storage. Stay below {threshold:.0f} %: fewer channels or conversations, or a second channel"
        " initiator.",
        fact="R-40", lines="L3680-L3684, L3755, L3822-L3827",
        fires={"storage_31_mb": 1300, "chinit_region_mb": 1501}, quiet={"storage_31_mb": 56, "chinit_region_mb": 1501},
    ),
    Rule(
        id="chinit-scavenging", subject="channel_initiator", severity="info",
        when="75 <= value <= 80", value="100 * storage_31_mb / chinit_region_mb",
        advice="31-bit storage of the channel initiator is {value:.0f} % used. From 75 % on free buffers are"
        " scavenged after each storage message, which costs processor time.",
        fact="R-41", lines="L3922-L3928",
        fires={"storage_31_mb": 1150, "chinit_region_mb": 1501}, quiet={"storage_31_mb": 900, "chinit_region_mb": 1501},
    ),
    Rule(
        id="chinit-storage-64-high", subject="channel_initiator", severity="warning",
        when="value > threshold", value="storage_64_pct", threshold=80,
        advice="The channel initiator uses {value:.0f} % of the 64-bit storage it may have. Raise MEMLIMIT so that"
        " the use stays below {threshold:.0f} %; client messages live there since 9.4.",
        fact="R-40, R-49", lines="L3680-L3684, L3798, L3815",
        fires={"storage_64_pct": 85.0}, quiet={"storage_64_pct": 30.0},
    ),
    Rule(
        id="chinit-channels-near-maximum", subject="channel_initiator", severity="warning",
        when="value > threshold", value="current_channels_pct", threshold=90, derived=True,
        advice="{current_channels_high:,.0f} of {current_channels_limit:,.0f} channels (MAXCHL) were in use. Further"
        " ones will be refused.",
        fact="R-46, R-TIER-3", lines="L3694-L3705, L8097-L8099",
        fires={"current_channels_pct": 96.0}, quiet={"current_channels_pct": 20.0},
    ),
    Rule(
        id="chinit-active-channels-near-maximum", subject="channel_initiator", severity="warning",
        when="value > threshold", value="active_channels_pct", threshold=90, derived=True,
        advice="{active_channels_high:,.0f} of {active_channels_limit:,.0f} active channels (ACTCHL) were in use."
        " Further ones will wait in retry.",
        fact="R-46", lines="L3694-L3705",
        fires={"active_channels_pct": 96.0}, quiet={"active_channels_pct": 20.0},
    ),
    Rule(
        id="chinit-channels-practical-ceiling", subject="channel_initiator", severity="warning",
        when="value >= threshold", value="current_channels_high", threshold=9000,
        advice="{value:,.0f} channels: about {threshold:,.0f} is as many as the private area of an address space"
        " carries in practice. Spread clients over more channel initiators.",
        fact="R-50", lines="L3705",
        fires={"current_channels_high": 9200}, quiet={"current_channels_high": 4000},
    ),
    Rule(
        id="chinit-channels-do-not-fit", subject="channel_initiator", severity="warning", derived=True,
        when="value > threshold", value="current_channels_high",
        threshold="channels_within_guide(chinit_region_mb, svrconn_channel_kb(message_bytes_typical / 1024,"
        " sharecnv_typical))",
        advice="{value:,.0f} client channels with messages of {message_bytes_typical:,.0f} bytes need more than 80 %"
        " of the {chinit_region_mb:,.0f} MB region; about {threshold:,.0f} fit.",
        fact="R-44, R-46, R-53", lines="L3729-L3753, L3829-L3853",
        fires={
            "current_channels_high": 8000, "chinit_region_mb": 1501, "message_bytes_typical": 32768,
            "sharecnv_typical": 10,
        },
        quiet={
            "current_channels_high": 1000, "chinit_region_mb": 1501, "message_bytes_typical": 32768,
            "sharecnv_typical": 10,
        },
    ),
    Rule(
        id="chinit-large-maxchl-few-channels", subject="channel_initiator", severity="info", over="queue manager",
        derived=True,
        when="highest(current_channels_high) > 0 and value > threshold",
        value="last(current_channels_limit) / highest(current_channels_high)", threshold=10,
        advice="MAXCHL is {last(current_channels_limit):,.0f} and never more than {highest(current_channels_high):,.0f}"
        " channels were used. Channels are dealt to dispatchers by MAXCHL, so few channels end up on few dispatchers;"
        " set MAXCHL to what you need.",
        fact="R-57, R-58", lines="L3964-L3970",
        fires=tuple({"current_channels_limit": 9999, "current_channels_high": high} for high in (12, 40, 35)),
        quiet=tuple({"current_channels_limit": 200, "current_channels_high": high} for high in (2, 150, 3)),
    ),
    Rule(
        id="chinit-growing-towards-maximum", subject="channel_initiator", severity="info", over="queue manager",
        derived=True,
        when="days() >= 14 and trend(current_channels_high) > 0 and 0 < value < threshold",
        value="(last(current_channels_limit) - last(current_channels_high)) / trend(current_channels_high)",
        threshold=60,
        advice="Channels grow by {trend(current_channels_high):.1f} a day; MAXCHL is reached in about {value:.0f}"
        " days.",
        fact="R-46", lines="L3694-L3705",
        fires=tuple({"current_channels_limit": 500, "current_channels_high": 100 + 10 * day} for day in range(16)),
        quiet=tuple({"current_channels_limit": 500, "current_channels_high": 100} for _ in range(16)),
    ),
    Rule(
        id="adapters-all-used", subject="adapter", severity="warning", over="interval",
        when="value == 0", value="count(requests == 0)",
        advice="All {count():.0f} adapters had work, the last one included, so requests may have queued. Raise"
        " CHIADAPS; 120 does no harm.",
        fact="R-56, R-SEL-3", lines="L3938-L3958, L7625",
        fires=tuple({"requests": n} for n in (900, 500, 20)), quiet=tuple({"requests": n} for n in (900, 500, 0)),
    ),
    Rule(
        id="adapters-below-recommended", subject="adapter", severity="info", over="interval",
        when="mean(busy_pct) > 30 and value < threshold", value="count()", threshold="adapters_recommended(processors)",
        advice="{value:.0f} adapters for {processors:.0f} processors and a heavy load. For much persistent work"
        " {threshold:.0f} are advised.",
        fact="R-55", lines="L3938, L4370",
        fires=tuple({"busy_pct": 60.0, "processors": 4} for _ in range(8)),
        quiet=tuple({"busy_pct": 2.0, "processors": 4} for _ in range(8)),
    ),
    Rule(
        id="adapters-mostly-busy", subject="adapter", severity="warning", over="interval",
        when="count() > 1 and value > threshold", value="share(busy_pct > 50)", threshold=0.8, derived=True,
        advice="{100 * value:.0f} % of the adapters were over half busy. A healthy load tails off towards the last"
        " ones; selectors, log waits or too few adapters hold calls up.",
        fact="R-56, R-SEL-3, F-SEL-5", lines="L3942-L3958, L7617-L7627",
        fires=tuple({"busy_pct": 95.0} for _ in range(8)),
        quiet=({"busy_pct": 70.0}, {"busy_pct": 20.0}, {"busy_pct": 1.0}),
    ),
    Rule(
        id="adapter-cpu-heavy", subject="adapter", severity="info", derived=True,
        when="requests > 100 and busy_pct > 80 and value > threshold", value="100 * cpu_us / elapsed_us", threshold=50,
        advice="Adapter {position:.0f} is {busy_pct:.0f} % busy, {value:.0f} % of it on a processor: typical of"
        " clients that select messages by properties. Use indexed identifiers instead.",
        fact="R-SEL-1, R-SEL-3", lines="L3956, L7617, L7625-L7632",
        fires={"requests": 5000, "busy_pct": 99.0, "cpu_us": 45000000, "elapsed_us": 59000000},
        quiet={"requests": 5000, "busy_pct": 30.0, "cpu_us": 2000000, "elapsed_us": 18000000},
    ),
    Rule(
        id="dispatcher-saturated", subject="dispatcher", severity="warning", derived=True,
        when="value > threshold", value="busy_pct", threshold=80,
        advice="Dispatcher {position:.0f} was {value:.0f} % busy with {channels:.0f} channels. Channels stay on their"
        " dispatcher until they stop; spread them (MAXCHL, CHIDISPS) and restart some.",
        fact="R-60, T-16b", lines="L3962-L3986",
        fires={"busy_pct": 91.0}, quiet={"busy_pct": 58.0},
    ),
    Rule(
        id="dispatchers-unbalanced", subject="dispatcher", severity="warning", over="interval",
        when="highest(busy_pct) > 30 and lowest(busy_pct) < 5 and value > threshold",
        value="highest(busy_pct) - lowest(busy_pct)", threshold=30, derived=True,
        advice="One dispatcher is {highest(busy_pct):.0f} % busy while another does nothing. MAXCHL divided by"
        " CHIDISPS is too high for the channels there are; spreading them gave 50 % more where it was measured.",
        fact="R-57, R-59", lines="L3964-L3986",
        fires=tuple({"busy_pct": b} for b in (58.0, 1.0, 0.0)),
        quiet=tuple({"busy_pct": b} for b in (30.0, 25.0, 28.0)),
    ),
    Rule(
        id="dispatcher-channels-unbalanced", subject="dispatcher", severity="info", over="interval", derived=True,
        when="sum(channels) > 10 and value > threshold", value="highest(channels) / mean(channels)", threshold=3,
        advice="One dispatcher has {highest(channels):.0f} channels, the average is {mean(channels):.1f}.",
        fact="R-57", lines="L3964",
        fires=tuple({"channels": n} for n in (40, 0, 0, 0, 0)), quiet=tuple({"channels": n} for n in (50, 50, 50)),
    ),
    Rule(
        id="dispatchers-few-for-many-channels", subject="dispatcher", severity="info", over="interval",
        when="sum(channels) > 1000 and value < threshold", value="count()", threshold=20,
        advice="{sum(channels):,.0f} channels run on {value:.0f} dispatchers. With more than 1000 channels"
        " CHIDISPS({threshold:.0f}) is a safe start.",
        fact="R-60", lines="L3972",
        fires=tuple({"channels": 300} for _ in range(5)), quiet=tuple({"channels": 100} for _ in range(5)),
    ),
    Rule(
        id="dispatchers-idle", subject="dispatcher", severity="info", over="queue manager", derived=True,
        when="value > 0 and highest(busy_pct) < threshold", value="distinct(position)", threshold=1,
        advice="None of the {value:.0f} dispatchers was ever more than {highest(busy_pct):.1f} % busy. As few as"
        " carry the load are best.",
        fact="R-60", lines="L3972",
        fires=tuple({"busy_pct": 0.2, "position": p} for p in range(20)),
        quiet=tuple({"busy_pct": 22.0, "position": p} for p in range(5)),
    ),
    Rule(
        id="dispatcher-compression-cost", subject="dispatcher", severity="info", derived=True,
        when="requests > 100 and value > threshold", value="cpu_per_request_us", threshold=100,
        advice="A request costs dispatcher {position:.0f} {value:.0f} us of processor. 5 us are usual, 12 with"
        " hardware compression, 105 with software compression: is COMPMSG(ZLIBHIGH), or ZLIBFAST without hardware, in"
        " use?",
        fact="R-64, T-16", lines="L3988-L3995, L4084",
        fires={"requests": 5000, "cpu_per_request_us": 108.0}, quiet={"requests": 5000, "cpu_per_request_us": 6.0},
    ),
    Rule(
        id="ssl-task-saturated", subject="ssl_task", severity="warning",
        when="value > threshold", value="busy_pct", threshold=90,
        advice="TLS task {position:.0f} is {value:.0f} % busy. Its channels are slow; restart some of them, so that"
        " they take another task and dispatcher.",
        fact="R-63", lines="L4595",
        fires={"busy_pct": 95.0}, quiet={"busy_pct": 27.0},
    ),
    Rule(
        id="ssl-tasks-few", subject="ssl_task", severity="info", over="interval",
        when="sum(requests) > 0 and value < threshold", value="count()",
        threshold="ssltasks_recommended(chidisps, processors)",
        advice="{value:.0f} TLS tasks for {chidisps:.0f} dispatchers and {processors:.0f} processors. {threshold:.0f}"
        " are advised: one more than dispatchers, and more than processors.",
        fact="R-62", lines="L4569-L4575", derived=True,
        fires=tuple({"requests": 100, "chidisps": 10, "processors": 4} for _ in range(5)),
        quiet=tuple({"requests": 100, "chidisps": 10, "processors": 4} for _ in range(11)),
    ),
    Rule(
        id="ssl-tasks-unbalanced", subject="ssl_task", severity="info", over="interval", derived=True,
        when="highest(busy_pct) > 50 and value > threshold", value="share(busy_pct < 1)", threshold=0.5,
        advice="Most TLS tasks are idle while one is {highest(busy_pct):.0f} % busy. Channels started at quiet times"
        " gather on the first tasks; restart some under load.",
        fact="R-63", lines="L4579-L4581",
        fires=tuple({"busy_pct": b} for b in (80.0, 0.0, 0.0)),
        quiet=tuple({"busy_pct": b} for b in (27.0, 26.0, 20.0)),
    ),
    Rule(
        id="ssl-request-software-handshake", subject="ssl_task", severity="warning",
        when="requests > 0 and value > threshold", value="longest_request_us / 1000", threshold=70,
        advice="A TLS request took {value:.0f} ms. A handshake takes 2 to 7 ms with a crypto card and 70 to 133 ms in"
        " software.",
        fact="R-91", lines="L4428",
        fires={"requests": 37, "longest_request_us": 120000}, quiet={"requests": 37, "longest_request_us": 5000},
    ),
    Rule(
        id="dns-slow", subject="dns", severity="warning",
        when="requests > 0 and value > threshold", value="longest_request_us / 1000", threshold=1000,
        advice="Resolving a name took {value:,.0f} ms. Channels start one after another through this task: a slow"
        " name server slows all starts.",
        fact="own", lines="own",
        fires={"requests": 12, "longest_request_us": 5000000}, quiet={"requests": 12, "longest_request_us": 2000},
    ),
    Rule(
        id="dns-busy", subject="dns", severity="warning",
        when="value > threshold", value="busy_pct", threshold=50,
        advice="The one task that resolves names was {value:.0f} % busy. Use addresses, or a nearer name server.",
        fact="own", lines="own",
        fires={"busy_pct": 80.0}, quiet={"busy_pct": 1.0},
    ),
)
