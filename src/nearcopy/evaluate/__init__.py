"""Evaluating: how what is found agrees with what people, or an oracle, say."""
