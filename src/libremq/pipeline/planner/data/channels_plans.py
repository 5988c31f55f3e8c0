"""Plans for what channels move: batches, network, processor time, TLS."""

from __future__ import annotations

from libremq.pipeline.planner.plan import Margin, Plan, Step, Watch
from libremq.pipeline.planner.plan_inputs import assume, may, need

_MACHINE = (
    may("measured_itr"),
    may("measured_processors"),
    may("target_itr"),
    may("target_processors"),
)

PLANS = (
    Plan(
        name="channel",
        title="Channel: batch reached, BATCHSZ, log data, cost and number of channels",
        inputs=(
            need("message_bytes"),
            need("messages_per_second"),
            assume("persistent", True),
            assume("batchsz", 50),
            assume("batchsz_partner", 50),
            assume("maxumsgs", 10_000),
            assume("maxumsgs_partner", 10_000),
            assume("batchint_ms", 0),
            assume("batchlim_kb", 5000),
            assume("preloaded", False),
            may("messages_per_batch"),
            may("channel_messages_per_second_max"),
        ),
        steps=(
            Step(
                "agreed",
                "Batch size that both ends agree on",
                "batch_messages_max(batchsz, batchsz_partner, maxumsgs, maxumsgs_partner)",
                "messages",
            ),
            Step(
                "by_limit",
                "Messages after which BATCHLIM ends a batch",
                "batch_messages_by_limit(message_bytes, batchlim_kb) if batchlim_kb > 0 else agreed",
                "messages",
                "messages without data never reach it",
            ),
            Step(
                "reached",
                "Batch that is reached: as given, or by rate and BATCHINT",
                "either(messages_per_batch, min(either(by_limit, agreed),"
                " batch_messages_expected(messages_per_second, batchint_ms, agreed, preloaded)))",
                "messages",
            ),
            Step("advised", "BATCHSZ for this size", "batchsz_for_message_bytes(message_bytes)", "messages"),
            Step(
                "sent_log",
                "Log data of a persistent message put and sent",
                "channel_send_log_bytes(message_bytes, reached) if persistent else 0",
                "bytes",
            ),
            Step(
                "received_log",
                "Log data of a persistent message received and got",
                "channel_receive_log_bytes(message_bytes, reached) if persistent else 0",
                "bytes",
            ),
            Step("log_rate", "Log rate at the sending end", "log_mb_per_second(sent_log, messages_per_second)", "MB/s"),
            Step(
                "us_each",
                "Processor time of a message, both ends (z16)",
                "channel_us_persistent_batch_1(message_bytes) if persistent"
                " else (channel_us_nonpersistent_batch_50(message_bytes) if reached >= 50"
                " else channel_us_nonpersistent_batch_1(message_bytes))",
                "us",
            ),
            Step(
                "processors", "Processors, both ends", "channel_processors(messages_per_second, us_each)", "processors"
            ),
            Step(
                "serial",
                "Most one requester sends that waits for each reply (persistent, or NPMSPEED NORMAL)",
                "serial_messages_per_second_max(batchint_ms)",
                "messages/s",
            ),
            Step(
                "channels",
                "Channels that carry it",
                "mca_channels_needed(messages_per_second, channel_messages_per_second_max)",
                "channels",
            ),
            Step(
                "network",
                "Data on the network",
                "network_mb_per_second(messages_per_second * message_bytes, 1)",
                "MB/s",
            ),
        ),
        answer="reached",
        words=(
            "Batches reach {reached}; BATCHSZ of {advised} suits the size. The load takes {processors} at both ends and"
            " {network} on the network.",
            "{channels} carry it.",
        ),
        margin=Margin(
            "Costs are within 10 percent; plan with batches of one unless the batch reached is known.",
            "R-100..R-102",
            "L4917, L4938, L4951-L4953",
        ),
        watch=(
            Watch(
                "BATCHINT holds replies back: one requester that waits for each gets {serial} at most.",
                "R-80 L4887-L4890",
                "batchint_ms > 0 and persistent",
            ),
            Watch(
                "Keep BATCHINT below five minutes: long units of work make restart long.",
                "R-78, R-PS-09 L4271, L912",
                "batchint_ms >= 300000 and persistent",
            ),
            Watch("BATCHLIM ends batches before BATCHSZ.", "R-81 L4052-L4056", "by_limit < agreed"),
            Watch(
                "Never BATCHSZ over 100 for bulk transfer of persistent messages.",
                "R-78 L4257",
                "batchsz > 100 and persistent",
            ),
        ),
        example="--message-bytes 1000 --messages-per-second 30 --batchint-ms 2000 --persistent no",
    ),
    Plan(
        name="network",
        title="Network: data of the channels, and what compression saves",
        inputs=(
            need("message_bytes"),
            need("messages_per_second"),
            assume("compressible_pct", 0),
            assume("compression", "NONE"),
            assume("header_compression", False),
            may("network_mbit_per_second"),
        ),
        steps=(
            Step(
                "plain",
                "Data without compression",
                "network_mb_per_second(messages_per_second * message_bytes, 1)",
                "MB/s",
            ),
            Step(
                "bytes_each",
                "Bytes of a message on the line",
                "compressed_bytes(message_bytes, 0 if compression == 'NONE' else compressible_pct)",
                "bytes",
            ),
            Step(
                "saved_headers",
                "Bytes a second that header compression saves",
                "header_compression_saved_bytes(messages_per_second) if header_compression else 0",
                "bytes",
            ),
            Step(
                "rate",
                "Data on the line",
                "network_mb_per_second(max(0, messages_per_second * bytes_each - saved_headers), 1)",
                "MB/s",
            ),
            Step("used", "Share of the line", "100 * rate * 8.388608 / network_mbit_per_second", "percent"),
            Step(
                "dispatcher_us",
                "Processor time of the dispatcher for a message of 32 KB",
                "compressing_dispatcher_us_per_request(compression)",
                "us",
            ),
            Step(
                "dispatchers",
                "Dispatchers kept busy at that cost",
                "messages_per_second * dispatcher_us / 1000000",
                "dispatchers",
            ),
        ),
        answer="rate",
        words=("The channels put {rate} on the line, {plain} without compression.", "That is {used} of the line."),
        watch=(
            Watch(
                "ZLIBFAST only with compression hardware; in software it costs five times as much.",
                "R-64 L4084-L4114",
                "compression == 'ZLIBFAST'",
            ),
            Watch(
                "ZLIBHIGH is done in software: {dispatcher_us} for 32 KB.",
                "T-16 L3990-L3995",
                "compression == 'ZLIBHIGH'",
            ),
            Watch(
                "A near and fast line gains nothing from compression: there processors are the bound.",
                "R-125 L5057-L5068",
                "compression != 'NONE'",
            ),
            Watch(
                "Keep figures of a quiet day to compare with, and watch retransmitted segments.", "R-127 L5072-L5088"
            ),
        ),
        example="--message-bytes 32k --messages-per-second 500 --compression ZLIBFAST --compressible-pct 40"
        " --network-mbit-per-second 1000",
    ),
    Plan(
        name="cpu",
        title="Processor time of channels, on the source's machine and on yours",
        inputs=(
            need("message_bytes"),
            need("messages_per_second"),
            assume("persistent", False),
            assume("messages_per_batch", 1),
            may("processors"),
            *_MACHINE,
            assume("channel_traced", False),
        ),
        steps=(
            Step(
                "us_each",
                "A message, both ends, queue manager and channel initiator (z16)",
                "channel_us_persistent_batch_1(message_bytes) if persistent"
                " else (channel_us_nonpersistent_batch_50(message_bytes) if messages_per_batch >= 50"
                " else channel_us_nonpersistent_batch_1(message_bytes))",
                "us",
            ),
            Step(
                "here_us",
                "The same on your machine, by LSPR",
                "cost_us_on_target(us_each, measured_itr, measured_processors, target_itr, target_processors)",
                "us",
            ),
            Step("sender", "Of it at the sending end", "channel_us_sender(either(here_us, us_each))", "us"),
            Step(
                "traced", "With the channel initiator traced, at most", "traced_us_max(either(here_us, us_each))", "us"
            ),
            Step("planned", "What to plan with", "traced if channel_traced else either(here_us, us_each)", "us"),
            Step("used", "Processors, both ends", "channel_processors(messages_per_second, planned)", "processors"),
            Step(
                "busy",
                "Share of the LPAR, if both ends were in it",
                "cpu_busy_pct(messages_per_second * planned / 1000, processors)",
                "percent",
            ),
            Step(
                "busy_sender",
                "Share of the LPAR of the sending end",
                "cpu_busy_pct(messages_per_second * sender / 1000, processors)",
                "percent",
            ),
        ),
        answer="used",
        words=(
            "{messages_per_second} of {message_bytes} keep {used} busy at both ends, {planned} a message;"
            " half of it at each.",
            "The sending end takes {busy_sender} of {processors}.",
        ),
        margin=Margin("Costs are within 10 percent of what was measured.", "R-100..R-102", "L4917, L4953"),
        watch=(
            Watch("Code page conversion costs more.", "R-100 L4853"),
            Watch("Costs carry over to other machines, throughput does not.", "R-HW-3 L8725-L8731"),
            Watch(
                "For the LSPR ratios of your machine give --measured-itr and --target-itr.",
                "R-HW-1 L8705-L8718",
                "not known(here_us)",
            ),
        ),
        example="--message-bytes 10k --messages-per-second 1000 --processors 3",
    ),
    Plan(
        name="tls",
        title="TLS: starting channels with a cipher, new keys, storage, cost of a message",
        inputs=(
            assume("cipher", "TLS_AES_256_GCM_SHA384"),
            need("channels"),
            assume("crypto_hardware", True),
            assume("sslrkeyc_bytes", 0),
            may("message_bytes"),
            may("messages_per_second"),
            assume("tls_protocol", "tls13 hardware"),
            may("transport_us"),
        ),
        steps=(
            Step(
                "start_ms",
                "Processor time of a start, with crypto hardware",
                "either(tls_start_cpu_ms(cipher), tls_start_cpu_ms(cipher_of_alias(cipher)))",
                "ms",
            ),
            Step(
                "starts",
                "Starts a second",
                "either(tls_starts_per_second(cipher), tls_starts_per_second(cipher_of_alias(cipher)))",
                "starts/s",
            ),
            Step("seconds", "Until all channels are started", "channels_start_seconds(channels, starts)", "seconds"),
            Step("start_cpu", "Processor time of all starts", "channels * start_ms / 1000", "CPU seconds"),
            Step("storage", "Storage on top", "tls_channels_extra_kb(channels)", "KB"),
            Step(
                "rekeys",
                "Negotiations a second for new keys",
                "messages_per_second * message_bytes / sslrkeyc_bytes",
                "negotiations/s",
                "keys are not made anew",
            ),
            Step("negotiation_least", "Time of a negotiation, at least", "negotiation_ms_min(crypto_hardware)", "ms"),
            Step("negotiation_most", "Time of a negotiation, at most", "negotiation_ms_max(crypto_hardware)", "ms"),
            Step("rekey_cpu", "Processors for new keys, at most", "rekeys * negotiation_most / 1000", "processors"),
            Step(
                "software_ms",
                "A request and reply with a cipher in software (CHACHA20), channel initiator",
                "software_cipher_ms_per_transaction(message_bytes / 1024)",
                "ms",
            ),
            Step(
                "at_tls_least",
                "AT-TLS between z/OS saves of the transport, at least",
                "at_tls_saving_pct_min(tls_protocol)",
                "percent",
            ),
            Step("at_tls_most", "and at most", "at_tls_saving_pct_max(tls_protocol)", "percent"),
            Step(
                "at_tls_us",
                "What a transaction then costs at best",
                "transport_us * (1 - at_tls_saving_pct_max(tls_protocol) / 100)",
                "us",
            ),
        ),
        answer="seconds",
        words=(
            "All {channels} are started in {seconds} at {starts}, with {start_cpu} of processor time; TLS"
            " takes {storage}"
            " more storage.",
            "New keys take up to {rekey_cpu}.",
            "AT-TLS would bring a transaction from {transport_us} to {at_tls_us} at best.",
        ),
        watch=(
            Watch(
                "CHACHA20 runs in software: leave it out of the ciphers allowed, and use AES-GCM.",
                "R-93 L4546-L4548",
                "either(cipher_of_alias(cipher), cipher) == 'TLS_CHACHA20_POLY1305_SHA256'",
            ),
            Watch("With TLS 1.3 on all channels set SSLRKEYC to 0.", "R-92 L4384, L4513", "sslrkeyc_bytes > 0"),
            Watch("The starts were measured with 4000 channels and crypto hardware.", "T-14 L4325-L4351"),
        ),
        example="--cipher TLS_AES_256_GCM_SHA384 --channels 4000",
    ),
)
