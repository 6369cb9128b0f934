"""A crawler's pipeline: python examples/crawler_path.py redis://localhost:6379/0 pages.db "ferry"

Pages go into a Redis stream; nearcopy drops the duplicates, with a store of 30 days in Redis; new
pages go into a SQLite index with their canonical URLs, which is then queried. It writes to the
streams example:crawled and example:mirrors of that server, and to its pool example.
"""

import json
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from redis import Redis

from nearcopy import POLICIES, Deduper
from nearcopy.io.sinks.sqlite_fts import FtsIndex
from nearcopy.io.streams import Outputs, consume
from nearcopy.io.streams.redis import RedisSettings, RedisStream

WIRE = Path(__file__).parent / "wire.jsonl"
MIRROR = "utm_source=mirror"  # in the second URL of each page
if len(sys.argv) != 4:
    sys.exit(__doc__)
address, file, query = sys.argv[1:]
client = Redis.from_url(address)
for line in WIRE.read_bytes().splitlines():  # the part of the crawler
    page = json.loads(line)
    url = page["url"] + ("&" if "?" in page["url"] else "?") + MIRROR
    mirror = page | {"id": f"{page['id']}-mirror", "url": url}
    for crawled in (page, mirror):
        client.xadd("example:crawled", {"data": json.dumps(crawled)})

settings = RedisSettings(
    address=address,
    stream="example:crawled",
    group="nearcopy",
    consumer="example",
    outputs=Outputs(duplicates="example:mirrors"),
)
policy = replace(POLICIES["default"], window=timedelta(days=30))
stream = RedisStream(settings)
with Deduper(address, policy=policy, pool="example") as deduper:
    index = FtsIndex(file, deduper.recipe)
    counts = consume(stream, deduper, sinks=[index], idle_seconds=1)
stream.close()

print(f"{counts.all} pages: {len(index.pages())} indexed, {client.xlen('example:mirrors')} dropped")
for _, copy in client.xrange("example:mirrors", count=3):
    print(copy[b"nearcopy_id"].decode(), "is at", copy[b"nearcopy_canonical_url"].decode())
for hit in index.search(query):
    print(f"found: {hit.title} · {hit.url}")
index.close()
