"""SMF 115 and 116 records of MQ for z/OS: layout, framing, decoding to Arrow, and the Spark source `mqsmf`."""
