"""Pages that hold no article: consent walls, paywalls, error pages; and boilerplate of sites."""
