"""Kafka topics, new pages forwarded: python examples/kafka_topics.py localhost:9092 pages new

Both topics must exist; the first is filled with the articles of wire.jsonl.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from confluent_kafka import Producer

from nearcopy import Deduper
from nearcopy.io.streams import Kind, Outputs, consume
from nearcopy.io.streams.kafka import KafkaSettings, KafkaStream

WIRE = Path(__file__).parent / "wire.jsonl"
if len(sys.argv) != 4:
    sys.exit(__doc__)
brokers, pages, new = sys.argv[1:]
crawler = Producer({"bootstrap.servers": brokers})
for line in WIRE.read_bytes().splitlines():
    crawler.produce(pages, line)
crawler.flush()

stream = KafkaStream(
    KafkaSettings(brokers=brokers, topics=(pages,), group="example", outputs=Outputs(new))
)
with TemporaryDirectory() as folder, Deduper(f"sqlite:///{folder}/seen.db") as deduper:
    counts = consume(stream, deduper, idle_seconds=10)
stream.close()
print(f"{counts.all} pages: {counts.kinds[Kind.UNIQUE]} new, forwarded to {new}")
