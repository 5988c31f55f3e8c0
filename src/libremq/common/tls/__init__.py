"""TLS for both ends of a channel: CipherSpecs, key repositories, a certificate authority, and errors in words."""
