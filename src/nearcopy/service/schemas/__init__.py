"""What the HTTP API takes and gives, as schemas."""
