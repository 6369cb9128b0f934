"""Whole stores: copied, rebuilt with another recipe, inventoried."""
