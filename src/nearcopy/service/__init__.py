"""The HTTP service (`nearcopy serve`): API under `api/`, HTML pages under `pages/`, MCP in `mcp`.

A request passes `middleware`, is authorised by `auth`, and runs on one of the Dedupers of a
`deduper_pool`. Errors are RFC 9457 problems (`problems`). Only this room and `cli` read the
environment.
"""
