"""Questions about channels: batches, compression, starts, TLS, processor time, the network."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import CHANNELS
from libremq.pipeline.questions.question import Figure, Question, Rows

_TLS = Rows(
    "channel",
    (
        "records = count()",
        "messages",
        "bytes_sent",
        "bytes_received",
        "running_seconds = mean(running_seconds)",
    ),
    "sum(bytes_sent) + sum(bytes_received)",
    by=("qmgr", "tls_cipher"),
    where="tls",
)

QUESTIONS = (
    Question(
        id="compression-worth",
        source="2/24",
        lines="L4078-L4124",
        text="Is channel compression worth it?",
        figures=(
            Figure("message after compression", "compressed_bytes(message_bytes_typical, compressible_pct)"),
            Figure("dispatcher, with this compression", "compressing_dispatcher_us_per_request(compression)"),
            Figure("dispatcher, without", "compressing_dispatcher_us_per_request('NONE')"),
            Figure("in hardware, at best", "hardware_compression_us_min(software_us)"),
            Figure("saved by compressing headers of 1,000 messages", "header_compression_saved_bytes(1000)"),
        ),
        rules=(
            "channel-compression-useless",
            "channel-compression-in-software",
            "channel-compression-would-help",
            "dispatcher-compression-cost",
        ),
        rows=(
            Rows(
                "channel",
                (
                    "messages",
                    "message_bytes",
                    "bytes_sent",
                    "sent_per_message_byte = sum(bytes_sent) / sum(message_bytes)",
                    "compression_pct = mean(compression_pct)",
                ),
                "sum(message_bytes)",
                by=("qmgr", "channel", "channel_type"),
            ),
        ),
        known=("On slow or far lines, or to encrypt less; ZLIBFAST with hardware only. It works on the dispatchers.",),
    ),
    Question(
        id="batch-settings",
        source="2/25",
        lines="L4044-L4067, L4161-L4271",
        text="Which BATCHSZ, BATCHINT and NPMSPEED?",
        figures=(
            Figure("BATCHSZ for this length", "batchsz_for_message_bytes(message_bytes_typical)"),
            Figure(
                "batch that takes effect", "batch_messages_max(batchsz, batchsz_partner, maxumsgs, maxumsgs_partner)"
            ),
            Figure("messages until BATCHLIM ends a batch", "batch_messages_by_limit(message_bytes_typical)"),
            Figure("batch to expect", "batch_messages_expected(channel_messages_per_second, batchint_ms, batchsz)"),
            Figure("replies one at a time, at most", "serial_messages_per_second_max(batchint_ms)"),
        ),
        rules=(
            "channel-batches-small",
            "channel-batch-always-full",
            "channel-batch-size-large",
            "channel-large-messages-in-batches",
            "channel-medium-messages-in-batches",
            "channel-batch-interval-long",
            "channel-batch-interval-slows-replies",
            "channel-bulk-batches",
            "channel-trickle-batches",
            "channel-request-reply-batches",
            "channel-nonpersistent-request-batches",
            "channel-npmspeed-normal",
            "channel-npmspeed-breaks-order",
            "channel-batch-limited-by-maxumsgs",
            "channel-batch-ends-at-data-limit",
            "channel-far-small-batches",
            "channel-monitoring-off",
        ),
        rows=(CHANNELS,),
        known=(
            "Requests and replies that may be persistent: 1, 0, FAST, or 50 and 100 ms where that delay is allowed."
            " Nonpersistent only: 50 and 10,000 ms. Bulk: 50, 0. Trickle: 50 and 5,000 ms. NORMAL only for order over"
            " both persistences.",
        ),
    ),
    Question(
        id="batch-achieved",
        source="2/26",
        lines="L4245-L4271, L4894-L4951",
        text="Which batch size do we achieve, and what would a larger one save?",
        figures=(
            Figure("batch to expect", "batch_messages_expected(channel_messages_per_second, batchint_ms, batchsz)"),
            Figure("nonpersistent, batches of 1", "channel_us_nonpersistent_batch_1(channel_message_bytes)"),
            Figure("nonpersistent, batches of 50", "channel_us_nonpersistent_batch_50(channel_message_bytes)"),
            Figure("persistent, batches of 1", "channel_us_persistent_batch_1(channel_message_bytes)"),
            Figure(
                "persistent below 5,000 bytes, batches of 4",
                "batch_of_4_us_per_message(channel_us_persistent_batch_1(channel_message_bytes))",
            ),
        ),
        rules=("channel-batches-small", "channel-nonpersistent-could-batch-more", "channel-batchsz-one-saves-flow"),
        rows=(CHANNELS,),
        known=(
            "DISPLAY CHSTATUS XBATCHSZ tells it at once, with MONCHL on; the table has it from the accounting records.",
        ),
    ),
    Question(
        id="channel-restart-time",
        source="2/27",
        lines="L4305-L4351",
        text="How long do all channels take to start after a failure of the channel initiator?",
        figures=(
            Figure("starts without TLS", "channel_starts_per_second(channels_in_syncq)"),
            Figure(
                "all without TLS",
                "channels_start_seconds(channels_in_syncq, channel_starts_per_second(channels_in_syncq))",
            ),
            Figure(
                "all with this cipher",
                "channels_start_seconds(channels_in_syncq, tls_starts_per_second(tls_cipher_name))",
            ),
        ),
        rules=("channels-restart-long", "channels-known-many", "channel-starts-often"),
        rows=(
            Rows(
                "channel",
                ("starts = distinct(channel_start)", "channels = distinct(channel)"),
                "distinct(channel_start)",
                by=("qmgr",),
            ),
        ),
        known=(
            "Every channel ever started keeps its entry in SYSTEM.CHANNEL.SYNCQ and slows each start: delete old ones.",
        ),
    ),
    Question(
        id="cheapest-cipher",
        source="2/28",
        lines="L4325-L4351, L4489-L4499, L4532",
        text="Which cipher or alias is cheapest to start and to run?",
        figures=(
            Figure("start with this cipher", "tls_start_cpu_ms(tls_cipher_name)"),
            Figure("start with TLS 1.2, RSA, AES-256-GCM", "tls_start_cpu_ms('TLS_RSA_WITH_AES_256_GCM_SHA384')"),
            Figure("start with TLS 1.3, AES-256-GCM", "tls_start_cpu_ms('TLS_AES_256_GCM_SHA384')"),
            Figure("start with TLS 1.3, CHACHA20", "tls_start_cpu_ms('TLS_CHACHA20_POLY1305_SHA256')"),
            Figure("start with ECDHE, RSA", "tls_start_cpu_ms('TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384')"),
            Figure("what ANY_TLS13 settles on", "cipher_of_alias('ANY_TLS13')"),
            Figure("what ANY_TLS12 settles on", "cipher_of_alias('ANY_TLS12')"),
            Figure("starts with this cipher", "tls_starts_per_second(tls_cipher_name)"),
        ),
        rules=("tls-software-cipher", "tls-ecdhe-start-cost", "tls-without-crypto-hardware", "channel-tls-short-lived"),
        rows=(_TLS,),
        known=(
            "Aliases that allow TLS 1.3 settled on CHACHA20, which only software can do; AES-GCM uses the processor's"
            " own support. AllowedCipherSpecs leaves it out.",
        ),
    ),
    Question(
        id="rekey-cost",
        source="2/29",
        lines="L4384, L4511-L4528",
        text="What does changing keys cost, and what should SSLRKEYC be?",
        figures=(
            Figure("one change", "rekey_us(transaction_us_with_rekey, transaction_us, messages_per_negotiation)"),
            Figure("one negotiation, at least", "negotiation_ms_min(crypto_hardware)"),
            Figure("one negotiation, at most", "negotiation_ms_max(crypto_hardware)"),
            Figure("messages between changes", "sslrkeyc / message_bytes_typical", "messages"),
        ),
        rules=("tls-rekey-with-tls13", "tls-rekey-mixed", "tls-rekey-small"),
        rows=(_TLS,),
        known=(
            "0 where all channels use TLS 1.3; else as many bytes as your rules allow. It holds for the whole queue"
            " manager.",
        ),
    ),
    Question(
        id="at-tls",
        source="2/30",
        lines="L4629-L4847",
        text="AT-TLS or SSLCIPH?",
        figures=(
            Figure("saved by AT-TLS, at least", "at_tls_saving_pct_min(tls_protocol)"),
            Figure("saved by AT-TLS, at most", "at_tls_saving_pct_max(tls_protocol)"),
            Figure(
                "round trip with SSLCIPH, software cipher", "system_ssl_round_trip_ms(message_bytes_typical / 1024)"
            ),
            Figure("round trip with AT-TLS, software cipher", "at_tls_round_trip_ms(message_bytes_typical / 1024)"),
            Figure("starts with SSLCIPH", "sslciph_starts_per_second(channel_starts_per_second(channels_in_syncq))"),
            Figure(
                "starts with AT-TLS, at least",
                "at_tls_starts_per_second_min(channel_starts_per_second(channels_in_syncq))",
            ),
        ),
        rules=("at-tls-would-save", "at-tls-software-cipher"),
        rows=(_TLS,),
        known=(
            "AT-TLS between z/OS systems and with hardware ciphers; SSLCIPH where SSLPEER, CHLAUTH by certificate or a"
            " cipher for each channel is needed.",
        ),
    ),
    Question(
        id="channel-processor",
        source="2/31",
        lines="L4849-L4959",
        text="How much processor does a channel workload need?",
        figures=(
            Figure(
                "nonpersistent, batches of 1",
                "channel_processors(messages_per_second_peak, channel_us_nonpersistent_batch_1(message_bytes_typical))",
            ),
            Figure(
                "nonpersistent, batches of 50",
                "channel_processors(messages_per_second_peak,"
                " channel_us_nonpersistent_batch_50(message_bytes_typical))",
            ),
            Figure(
                "persistent, batches of 1",
                "channel_processors(messages_per_second_peak, channel_us_persistent_batch_1(message_bytes_typical))",
            ),
            Figure(
                "sender's part, persistent", "channel_us_sender(channel_us_persistent_batch_1(message_bytes_typical))"
            ),
        ),
        rules=("channels-processor-cost",),
        rows=(CHANNELS,),
        known=("Both ends together, z16, within 10 %, without conversion; cost-on-another-machine scales to others.",),
    ),
    Question(
        id="slow-network-hardware",
        source="2/42",
        lines="L5072-L5088",
        text="Is the slowness in the network hardware?",
        figures=(Figure("segments sent again", "retransmitted_pct(retransmitted_segments, sent_segments)"),),
        rules=(
            "dns-busy",
            "channel-put-retries",
            "network-retransmissions",
            "network-paths-shared",
            "channel-transmission-queue-never-empty",
            "dns-slow",
        ),
        rows=(
            Rows(
                "channel",
                (
                    "messages",
                    "network_time = mean(network_time_average)",
                    "network_time_longest = highest(network_time_longest)",
                    "put_retries",
                    "bytes_per_message = sum(bytes_sent) / sum(messages)",
                ),
                "highest(network_time_longest)",
                by=("qmgr", "channel", "connection_name"),
            ),
        ),
        known=(
            "NETSTAT tells segments sent again. Keep baselines, change one thing at a time, try the other direction"
            " and"
            " another pair of systems; then suspect cable and transceiver.",
        ),
    ),
)
