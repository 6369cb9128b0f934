"""What is read of one article: text, numerals, addresses, titles, facts, agencies, block pages."""
