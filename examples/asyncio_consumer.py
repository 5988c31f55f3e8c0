"""asyncio: a consumer and its clients in one event loop, each message a transaction, and a get with a time limit."""

import asyncio
import os
import tempfile

import libremq
from libremq import aio


async def main() -> None:
    async with aio.connect("embedded:QM1?create=1") as qm:
        await qm.define_local("SERVICE", replace=True)
        await qm.define_local("JOURNAL", replace=True)
        service, journal = qm.queue("SERVICE"), qm.queue("JOURNAL")

        async def square(message: aio.Message) -> None:
            """Its reply and the line in the journal are in one transaction with the request."""
            number = int(message.text)
            await journal.put(f"squared {number}", persistent=True)
            await message.reply(str(number * number))

        async with service.consume(square):
            replies = await asyncio.gather(*(service.request(str(number), wait=30) for number in (3, 12, 111)))
        print("squares:", [reply.text for reply in replies])
        print("journal:", sorted([message.text async for message in journal]))

        try:
            async with asyncio.timeout(0.01):
                await journal.get(wait=float("inf"))
        except TimeoutError:
            print("nothing more in the journal")

        try:
            async with qm.transaction():
                await journal.put_many(["never", "seen"])
                raise ValueError("changed my mind")
        except ValueError as error:
            print(f"backed out, {error}:", await journal.depth())
        try:
            await qm.queue("NOWHERE").put("x")
        except libremq.UnknownObject as error:
            print(error.name, error.object_name)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        asyncio.run(main())
