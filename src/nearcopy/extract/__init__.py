"""What is extracted from one article: words, numerals, URLs, titles, facts, agencies, block pages.

Pure functions of one article. `urls` canonicalises addresses, `titles` cleans headlines, `facts`
reads amounts, dates and names from them, `agencies` finds the credited news agencies, and
`block_pages` detects pages that are no article. Their word lists are TOML files beside the code.
"""
