"""asyncio: many requests under way at once in one thread, answered by a service in the same event loop."""

import asyncio
import os
import tempfile

from libremq import aio
from libremq.testing.serving import served_queue_manager


async def serve(url: str, count: int) -> None:
    async with aio.connect(url) as qm:
        requests = qm.queue("SQUARE")
        for _ in range(count):
            async with qm.transaction():
                request = await requests.get(wait=60)
                await request.reply(str(int(request.text) ** 2))


async def ask(url: str, number: int) -> str:
    async with aio.connect(url) as qm:
        reply = await qm.queue("SQUARE").request(str(number), wait=60)
        return reply.text


async def talk(url: str) -> None:
    async with aio.connect(url) as qm:
        await qm.define_local("SQUARE", replace=True)
    numbers = range(2, 10)
    service = asyncio.create_task(serve(url, len(numbers)))
    print("squares:", await asyncio.gather(*(ask(url, number) for number in numbers)))
    await service


def main(data: str) -> None:
    with served_queue_manager(folder=data) as server:  # or a server of your own: libremq strmqm QM1
        asyncio.run(talk(server.url("mq")))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        main(os.environ.setdefault("LIBREMQ_DATA", folder))
