"""Fingerprints of articles, their blocking keys, and the weights of their terms."""
