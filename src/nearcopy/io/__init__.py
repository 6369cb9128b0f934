"""Input and output: files, feeds, streams, search sinks and data frames.

`serializers` holds the one JSON form of every answer, used by the CLI, the service and the streams.
"""
