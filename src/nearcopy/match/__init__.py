"""Two articles: candidates to evidence, evidence to a decision, a decision to an explanation."""
