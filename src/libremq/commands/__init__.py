"""What people type: `libremq COMMAND`, and the commands of MQ under their own names.

`main.py` holds the table of commands. A new command is one module with `add_arguments(parser)` and `run(arguments)`,
and one row there. The modules beside it are what commands share: exit codes, output, the way to a queue manager.

    mq/        control commands (crtmqm, strmqm, runmqsc, setmqaut, ...)
    own/       words of our own (load, unload, log, tls, completion, link-commands)
    samples/   sample programs (amqsput, amqsget, ...)
    pipeline/  `libremq pipeline` and `libremq plan`
    demo/      `make demo`

May use everything below; nothing imports it.
"""
