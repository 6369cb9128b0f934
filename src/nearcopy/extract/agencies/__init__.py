"""News agencies that an article credits: their names, and the credit lines.

`names` is the table of agencies; `credit_lines` finds them in datelines, bylines and endings.
"""
