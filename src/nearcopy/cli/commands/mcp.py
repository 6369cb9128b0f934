"""`nearcopy mcp`: tools for assistants, over stdin and stdout."""

from nearcopy.cli.options import JsonOption, PresetOptions, StoreOptions, flag
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import show, write_json_lines
from nearcopy.errors import require


def mcp(
    store: StoreOptions,
    decisions: PresetOptions,
    write: bool = flag("Allow adding articles.", None),
    list_: bool = flag("List the tools, and exit.", None),
    as_json: JsonOption = False,
) -> None:
    """Serve tools to assistants over MCP (stdio)."""
    require("mcp.server.mcpserver", extra="mcp")
    from nearcopy.cli.open_store import open_deduper, open_existing
    from nearcopy.service.mcp import create_server

    open_store = open_deduper if write else open_existing
    with open_store(store, decisions) as deduper:
        tool_server = create_server(deduper, write=write)
        if list_:
            _list(tool_server, as_json)
        else:
            tool_server.run("stdio")


def _list(tool_server: object, as_json: bool) -> None:
    import asyncio

    tools = asyncio.run(tool_server.list_tools())  # type: ignore[attr-defined]
    if as_json:
        write_json_lines(tool.model_dump(mode="json", exclude_none=True) for tool in tools)
        return
    table = make_table("tool", "does", "writes")
    for tool in tools:
        writes = "no" if tool.annotations.read_only_hint else "yes"
        add_row(table, tool.name, tool.description, writes)
    show(table)
