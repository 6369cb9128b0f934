"""Many articles: decisions to stories, the kept copy of each, and story ids that stay."""
