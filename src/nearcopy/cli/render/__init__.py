"""What commands draw: tables, explanations, timelines and evaluations."""
