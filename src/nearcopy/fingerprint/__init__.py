"""An article to its fingerprint, and a fingerprint to its blocking keys."""
