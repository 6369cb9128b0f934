"""The commands, one module each; `nearcopy.cli` lists them."""
