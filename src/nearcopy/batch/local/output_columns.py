"""What is written beside each row of a corpus."""

CLUSTER_COLUMNS = ("relation", "is_duplicate", "duplicate_of", "story_id", "overlap")
