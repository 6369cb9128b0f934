"""The one JSON form of every answer."""
