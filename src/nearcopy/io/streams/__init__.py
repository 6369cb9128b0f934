"""Streams of messages to articles and back: one module for each way in."""

from nearcopy.io.streams.consumer import consume
from nearcopy.io.streams.messages import Kind, Message, Outcome, Sink, Stream
from nearcopy.io.streams.metrics import Counts

__all__ = ["Counts", "Kind", "Message", "Outcome", "Sink", "Stream", "consume"]
