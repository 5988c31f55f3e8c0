"""The AMQ messages: texts by number, in tables. `amq_messages` looks them up."""
