"""Rules about single channels: batches, persistence, clients, compression, TLS, retries."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

_MCA = "channel_type in ('Sender', 'Server', 'ClusSdr')"

# fmt: off
RULES = (
    Rule(
        id="channel-batches-small", subject="channel", severity="info",
        when=f"{_MCA} and batches > 100 and batch_size >= 10 and value < threshold", value="messages_per_batch",
        threshold=2,
        advice="Channel {channel} sends {value:.1f} messages a batch of the {batch_size:.0f} allowed. Four a batch"
        " instead of one halve the cost of small messages and double the rate; a BATCHINT of {batch_interval_ms:.0f}"
        " ms is too short for that.",
        fact="R-72, R-77, R-84", lines="L4167, L4265, L4355-L4364",
        fires={"channel_type": "Sender", "batches": 5000, "batch_size": 50, "messages_per_batch": 1.1},
        quiet={"channel_type": "Sender", "batches": 5000, "batch_size": 50, "messages_per_batch": 30.0},
    ),
    Rule(
        id="channel-batch-always-full", subject="channel", severity="info", derived=True,
        when=f"{_MCA} and batches > 100 and batch_size < 50 and batch_size > 1 and message_average_bytes < 100000 and"
        f" value > threshold",
        value="full_batch_pct", threshold=90,
        advice="{value:.0f} % of the batches of channel {channel} are full at {batch_size:.0f} messages. A BATCHSZ of"
        " 50 saves batch ends.",
        fact="R-72, R-76", lines="L4161-L4167, L4249",
        fires={
            "channel_type": "Sender", "batches": 5000, "batch_size": 10, "message_average_bytes": 1000,
            "full_batch_pct": 99.0,
        },
        quiet={
            "channel_type": "Sender", "batches": 5000, "batch_size": 50, "message_average_bytes": 1000,
            "full_batch_pct": 99.0,
        },
    ),
    Rule(
        id="channel-batch-size-large", subject="channel", severity="warning",
        when=f"{_MCA} and persistent_messages > 0 and value > threshold", value="batch_size", threshold=100,
        advice="Channel {channel} carries persistent messages with BATCHSZ {value:.0f}. Over {threshold:.0f} brings"
        " nothing and makes units of work, backouts and recovery long.",
        fact="R-78", lines="L4257-L4259",
        fires={"channel_type": "Sender", "persistent_messages": 1000, "batch_size": 5000},
        quiet={"channel_type": "Sender", "persistent_messages": 0, "batch_size": 5000},
    ),
    Rule(
        id="channel-large-messages-in-batches", subject="channel", severity="warning",
        when=f"{_MCA} and messages > 0 and message_average_bytes >= 1000000 and value > threshold", value="batch_size",
        threshold=1,
        advice="Messages of channel {channel} average {message_average_bytes:,.0f} bytes; for about 1 MB and more use"
        " BATCHSZ(1), not {value:.0f}.",
        fact="R-72, R-78, R-LM-01", lines="L1747, L4166, L4258",
        fires={"channel_type": "Sender", "messages": 50, "message_average_bytes": 4000000, "batch_size": 50},
        quiet={"channel_type": "Sender", "messages": 50, "message_average_bytes": 4000000, "batch_size": 1},
    ),
    Rule(
        id="channel-medium-messages-in-batches", subject="channel", severity="info",
        when=f"{_MCA} and messages > 0 and 100000 <= message_average_bytes < 1000000 and value > threshold",
        value="batch_size",
        threshold=10,
        advice="Messages of channel {channel} average {message_average_bytes:,.0f} bytes; for more than 100,000 bytes"
        " a BATCHSZ of {threshold:.0f} is enough.",
        fact="R-72", lines="L4165",
        fires={"channel_type": "Sender", "messages": 50, "message_average_bytes": 400000, "batch_size": 50},
        quiet={"channel_type": "Sender", "messages": 50, "message_average_bytes": 4000, "batch_size": 50},
    ),
    Rule(
        id="channel-batch-ends-at-data-limit", subject="channel", severity="info",
        when="messages > 0 and batch_data_limit_kb > 0 and value > threshold", value="message_average_bytes / 1024",
        threshold="0.8 * batch_data_limit_kb", derived=True,
        advice="Messages of channel {channel} average {value:,.0f} KB with a BATCHLIM of {batch_data_limit_kb:,.0f}"
        " KB, so each message is a batch of its own.",
        fact="R-81", lines="L4052-L4056",
        fires={"messages": 50, "batch_data_limit_kb": 5000, "message_average_bytes": 6000000},
        quiet={"messages": 50, "batch_data_limit_kb": 5000, "message_average_bytes": 60000},
    ),
    Rule(
        id="channel-batch-interval-long", subject="channel", severity="warning",
        when=f"{_MCA} and persistent_messages > 0 and value >= threshold", value="batch_interval_ms", threshold=300000,
        advice="Channel {channel} keeps batches with persistent messages open for {value:,.0f} ms. From five minutes"
        " on units of work span log data sets and lengthen a restart.",
        fact="R-78, R-PS-09, R-RST-09, R-74", lines="L912, L1713, L4171, L4251, L4271",
        fires={"channel_type": "Sender", "persistent_messages": 10, "batch_interval_ms": 600000},
        quiet={"channel_type": "Sender", "persistent_messages": 10, "batch_interval_ms": 1000},
    ),
    Rule(
        id="channel-batch-interval-slows-replies", subject="channel", severity="warning", derived=True,
        # Far below that rate nobody waits for replies: there is just little to send.
        when=f"{_MCA} and batch_interval_ms >= 100 and persistent_messages > 0 and messages_per_batch < 2 and"
        f" 0.5 * threshold < value < threshold",
        value="messages_per_running_second", threshold="1.2 * serial_messages_per_second_max(batch_interval_ms)",
        advice="Channel {channel} moves {value:.2f} messages a second, one each BATCHINT of {batch_interval_ms:,.0f}"
        " ms: the partner waits for each reply. With BATCHINT 0 over a thousand a second were measured.",
        fact="R-80", lines="L4887-L4890",
        fires={
            "channel_type": "Sender", "batch_interval_ms": 1000, "persistent_messages": 60, "messages_per_batch": 1.0,
            "messages_per_running_second": 1.0,
        },
        quiet={
            "channel_type": "Sender", "batch_interval_ms": 1000, "persistent_messages": 60, "messages_per_batch": 1.0,
            "messages_per_running_second": 0.02,
        },
    ),
    Rule(
        id="channel-nonpersistent-could-batch-more", subject="channel", severity="info", derived=True,
        when=f"{_MCA} and persistent_messages == 0 and batches > 100 and value < threshold", value="messages_per_batch",
        threshold=5,
        advice="Channel {channel} carried only nonpersistent messages, {value:.1f} a batch. With NPMSPEED(FAST) a"
        " large BATCHSZ and BATCHINT are safe there and save the flow at each batch end.",
        fact="R-73, R-76", lines="L4169, L4247-L4250",
        fires={"channel_type": "Sender", "persistent_messages": 0, "batches": 5000, "messages_per_batch": 1.0},
        quiet={"channel_type": "Sender", "persistent_messages": 10, "batches": 5000, "messages_per_batch": 1.0},
    ),
    Rule(
        id="channel-batchsz-one-saves-flow", subject="channel", severity="info",
        when=f"{_MCA} and persistent_pct > 90 and batches > 100 and batch_size > 1 and value < threshold",
        value="messages_per_batch", threshold=1.05,
        advice="Channel {channel} never gathers more than one persistent message a batch. With BATCHSZ(1) the end of"
        " batch travels with the message: up to 20 % less processor time.",
        fact="R-75", lines="L4244",
        fires={
            "channel_type": "Sender", "persistent_pct": 100.0, "batches": 900, "batch_size": 50,
            "messages_per_batch": 1.0,
        },
        quiet={
            "channel_type": "Sender", "persistent_pct": 100.0, "batches": 900, "batch_size": 1,
            "messages_per_batch": 1.0,
        },
    ),
    Rule(
        id="channel-put-retries", subject="channel", severity="warning",
        when="value > threshold", value="put_retries", threshold=0,
        advice="Channel {channel} tried {value:,.0f} puts again: a target queue was full or not there, and everything"
        " behind waited.",
        fact="own", lines="own",
        fires={"put_retries": 5}, quiet={"put_retries": 0},
    ),
    Rule(
        id="channel-compression-useless", subject="channel", severity="info",
        when="compression != 'NONE' and messages > 100 and value < threshold", value="compression_pct", threshold=10,
        derived=True,
        advice="Channel {channel} compresses by {value:.0f} %. Text and XML shrink by half and more, images not at"
        " all; below 40 % even hardware compression did not pay on a fast network.",
        fact="R-64, R-65", lines="L4112-L4114, L4124",
        fires={"compression": "ZLIBFAST", "messages": 500, "compression_pct": 2},
        quiet={"compression": "ZLIBFAST", "messages": 500, "compression_pct": 60},
    ),
    Rule(
        id="channel-small-messages", subject="channel", severity="info", derived=True,
        when=f"{_MCA} and messages_per_running_second > 100 and value < threshold", value="message_average_bytes",
        threshold=1000,
        advice="Channel {channel} moves {messages_per_running_second:,.0f} messages a second of {value:,.0f} bytes."
        " Where the application allows, gather small messages to about 30 KB.",
        fact="R-APP-1", lines="L7144",
        fires={"channel_type": "Sender", "messages_per_running_second": 900.0, "message_average_bytes": 120},
        quiet={"channel_type": "Sender", "messages_per_running_second": 900.0, "message_average_bytes": 30000},
    ),
    Rule(
        id="client-connects-for-few-calls", subject="channel", severity="warning", derived=True,
        # Only an instance that began and ended in the interval tells how long a client stays.
        when="client and channel_start >= interval_start and known(channel_stop) and running_seconds < 60 and"
        " value < threshold",
        value="messages", threshold=10,
        advice="A client on channel {channel} stayed {running_seconds:.0f} s for {value:.0f} calls. Connecting costs"
        " about 755 us, a message 150: stay connected, or let a queue manager near the clients gather them.",
        fact="R-TIER-1, R-TIER-2, R-APP-2", lines="L7145-L7148, L8056-L8071, L8155",
        fires={
            "client": True, "interval_start": 0, "channel_start": 600, "channel_stop": 602, "running_seconds": 2.0,
            "messages": 3,
        },
        quiet={
            "client": True, "interval_start": 0, "channel_start": 1798, "channel_stop": None, "running_seconds": 2.0,
            "messages": 3,
        },
    ),
    Rule(
        id="client-conversations-share-busy-channel", subject="channel", severity="info", derived=True,
        when="client and shared_conversations > 1 and persistent_messages > 0 and value > threshold",
        value="messages_per_running_second", threshold=100,
        advice="{shared_conversations:.0f} conversations share channel {channel} at {value:,.0f} calls a second,"
        " persistent ones among them. They take turns on one adapter: a lower SHARECNV serves busy clients better.",
        fact="R-51", lines="L4294-L4301",
        fires={
            "client": True, "shared_conversations": 10, "persistent_messages": 100,
            "messages_per_running_second": 500.0,
        },
        quiet={
            "client": True, "shared_conversations": 1, "persistent_messages": 100, "messages_per_running_second": 500.0,
        },
    ),
    Rule(
        id="client-storage-of-shared-conversations", subject="channel", severity="info",
        when="client and shared_conversations >= 10 and value > threshold",
        value="svrconn_above_bar_kb(message_average_bytes, 10, shared_conversations) / 1024", threshold=100,
        derived=True,
        advice="Channel {channel} with {shared_conversations:.0f} conversations holds about {value:,.0f} MB of 64-bit"
        " buffers.",
        fact="R-45, R-48", lines="L3747, L3781-L3794",
        fires={"client": True, "shared_conversations": 10, "message_average_bytes": 20000000},
        quiet={"client": True, "shared_conversations": 10, "message_average_bytes": 1000},
    ),
    Rule(
        id="channel-message-rate-at-one-channel", subject="channel", severity="info",
        when=f"{_MCA} and value > threshold", value="messages_per_running_second",
        threshold="channel_messages_per_second_max",
        advice="Channel {channel} moves {value:,.0f} messages a second, all that one channel does here. Further"
        " channels in parallel carry more; a faster network would not.",
        fact="R-TIER-4, R-126", lines="L5060, L8081",
        fires={
            "channel_type": "Sender", "messages_per_running_second": 5000.0, "channel_messages_per_second_max": 4000,
        },
        quiet={"channel_type": "Sender", "messages_per_running_second": 500.0, "channel_messages_per_second_max": 4000},
    ),
    Rule(
        id="channel-starts-often", subject="channel", severity="info", over="object and day", derived=True,
        # Clients and receivers of one name have many partners, each with starts of its own.
        when=f"highest(1 if {_MCA} else 0) == 1 and value > threshold", value="distinct(channel_start)", threshold=20,
        advice="Channel {object} was started {value:.0f} times in a day. Starts cost more the more channels the queue"
        " manager knows, and far more with TLS: raise DISCINT.",
        fact="R-86, R-94", lines="L4307-L4321, L4389-L4418",
        fires=tuple({"channel_type": "Sender", "channel_start": n} for n in range(30)),
        quiet=tuple({"channel_type": "SvrConn", "channel_start": n} for n in range(30)),
    ),
    Rule(
        id="channel-tls-short-lived", subject="channel", severity="warning", derived=True,
        when="tls and channel_start >= interval_start and known(channel_stop) and value < threshold",
        value="running_seconds", threshold=10,
        advice="TLS channel {channel} ran {value:.0f} s. A TLS start costs twice a plain one and up to 133 ms without"
        " crypto hardware: keep such channels running.",
        fact="R-88, R-89, R-94", lines="L4389-L4418, L4803-L4817",
        fires={
            "tls": True, "interval_start": 0, "channel_start": 600, "channel_stop": 602, "running_seconds": 2.0,
        },
        quiet={
            "tls": True, "interval_start": 0, "channel_start": -9000, "channel_stop": 2, "running_seconds": 2.0,
        },
    ),
    Rule(
        id="channel-transmission-queue-never-empty", subject="channel", severity="info", derived=True,
        when=f"{_MCA} and messages > 1000 and transmission_queue_empty == 0",
        advice="The transmission queue of channel {channel} was never empty: messages arrive faster than it sends."
        " Check network, log times at both ends, adapters and whether messages are read from page sets.",
        fact="R-84", lines="L4355-L4370",
        fires={"channel_type": "Sender", "messages": 50000, "transmission_queue_empty": 0},
        quiet={"channel_type": "Sender", "messages": 50000, "transmission_queue_empty": 300},
    ),
    Rule(
        id="channel-large-messages-concurrent", subject="channel", severity="warning", over="interval",
        when="value > threshold", value="count(message_average_bytes > 50000000)", threshold=15,
        advice="{value:.0f} channels move messages of 50 MB and more at once; about {threshold:.0f} is the most that"
        " does not hurt others.",
        fact="R-LM-01", lines="L1741-L1749",
        fires=tuple({"message_average_bytes": 100000000} for _ in range(20)),
        quiet=tuple({"message_average_bytes": 1000} for _ in range(20)),
    ),
    Rule(
        id="channels-processor-cost", subject="channel", severity="info", over="interval", derived=True,
        when="value > threshold",
        # Instances that ran one after another must not count as if they had run at once: each over the whole interval.
        value="sum(messages_per_second * channel_us_persistent_batch_1(message_average_bytes)) / 2 / 1000000"
        " / processors * 100",
        threshold=50,
        advice="By the measured costs of z16 these channels take up to {value:.0f} % of {processors:.0f} processors"
        " on this side, if all were persistent and in batches of one.",
        fact="R-102, R-100", lines="L4894-L4951",
        fires=({"messages_per_second": 20000.0, "message_average_bytes": 10000.0, "processors": 3},),
        quiet=({"messages_per_second": 200.0, "message_average_bytes": 10000.0, "processors": 3},),
    ),
)
