"""Streams of messages to articles and back: one module for each way in."""

from nearcopy.streams.base import Sink, Stream
from nearcopy.streams.consuming import consume
from nearcopy.streams.counts import Counts
from nearcopy.streams.messages import Kind, Message, Outcome

__all__ = ["Counts", "Kind", "Message", "Outcome", "Sink", "Stream", "consume"]
