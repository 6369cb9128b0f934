"""News agencies credited in an article: their names, and the lines that credit them."""
