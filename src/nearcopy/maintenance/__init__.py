"""Maintenance of whole stores: copy one into another, rebuild it, compare what two hold."""
