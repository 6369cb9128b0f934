"""The one JSON form of every answer: verdicts and evidence, stories and feedback, evaluations."""
