"""What is written beside each row of a corpus."""

OURS = ("relation", "is_duplicate", "duplicate_of", "story_id", "overlap")
