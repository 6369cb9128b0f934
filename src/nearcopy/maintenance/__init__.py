"""Maintenance of whole stores: copy, rebuild and export them, and compare what two of them hold."""
