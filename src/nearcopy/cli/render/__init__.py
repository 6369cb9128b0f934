"""What is drawn on a terminal or written as HTML."""
