"""Two titles: how similar they are, which words they swap, and what contrasts them."""
