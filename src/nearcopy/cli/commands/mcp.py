"""`nearcopy mcp`: the tools for assistants, over stdin and stdout."""

from typing import Annotated

import typer

from nearcopy.cli.options import (
    JsonOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import add_row, reported, show, table, write_lines
from nearcopy.errors import require
from nearcopy.io.settings import settings


@reported
def mcp(
    store: StoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    write: Annotated[bool, typer.Option("--write", help="Let articles be added, too.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the tools, and end.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Answer assistants over the Model Context Protocol (stdio)."""
    require("mcp.server.mcpserver", extra="mcp")
    from nearcopy.cli.open_store import adding, reading
    from nearcopy.service.mcp import server

    opened = adding if write else reading
    with opened(store_address(store), *settings(preset, policy, window), pool=pool) as deduper:
        made = server(deduper, write=write)
        if list_:
            _list(made, as_json)
        else:
            made.run("stdio")


def _list(made: object, as_json: bool) -> None:
    import asyncio

    tools = asyncio.run(made.list_tools())  # type: ignore[attr-defined]
    if as_json:
        write_lines(each.model_dump(mode="json", exclude_none=True) for each in tools)
        return
    shown = table("tool", "does", "writes")
    for each in tools:
        looks = each.annotations.read_only_hint
        add_row(shown, each.name, each.description, "no" if looks else "yes")
    show(shown)
