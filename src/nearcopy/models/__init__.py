"""The nouns: frozen values that every other room speaks of.

Article, Fingerprint, Evidence, Decision, Verdict, Story, Feedback and StoryAction. They are checked
where they are made and know nothing of how they are measured, decided or stored.
"""
