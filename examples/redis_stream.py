"""A Redis stream, new pages forwarded: python examples/redis_stream.py redis://localhost:6379/0

It writes to the streams example:pages, example:new and example:copies of that server.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from redis import Redis

from nearcopy import Deduper
from nearcopy.io.streams import Outputs, consume
from nearcopy.io.streams.redis import RedisSettings, RedisStream

WIRE = Path(__file__).parent / "wire.jsonl"
if len(sys.argv) != 2:
    sys.exit(__doc__)
address = sys.argv[1]
client = Redis.from_url(address)
for line in WIRE.read_bytes().splitlines():  # the part of the crawler
    client.xadd("example:pages", {"data": line})

settings = RedisSettings(
    address=address,
    stream="example:pages",
    group="nearcopy",
    consumer="example",
    outputs=Outputs("example:new", "example:copies"),
)
stream = RedisStream(settings)
with TemporaryDirectory() as folder, Deduper(f"sqlite:///{folder}/seen.db") as deduper:
    counts = consume(stream, deduper, idle_seconds=1)
stream.close()
print(f"{counts.all} pages: {client.xlen('example:new')} new")
for _, page in client.xrange("example:copies", count=3):
    print(page[b"nearcopy_id"].decode(), "is a copy of", page[b"nearcopy_duplicate_of"].decode())
