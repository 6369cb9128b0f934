"""What comes in and goes out: files, feeds, streams, sinks, data frames, JSON."""
