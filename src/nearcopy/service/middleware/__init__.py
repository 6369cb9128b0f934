"""What surrounds every request: limits, logging, security headers."""
