"""Streams of messages: Kafka, Redis Streams and JSON lines, a module each.

`consume` takes messages, adds their articles to a store, and forwards the outcomes at least once.
"""

from nearcopy.io.streams.consumer import consume
from nearcopy.io.streams.messages import Kind, Message, Outcome, Outputs, Sink, Stream
from nearcopy.io.streams.metrics import Counts

__all__ = ["Counts", "Kind", "Message", "Outcome", "Outputs", "Sink", "Stream", "consume"]
