"""A client of `nearcopy mcp`, as assistants are: python examples/assistant.py seen.db"""

import asyncio
import sys

from mcp import Client, StdioServerParameters, stdio_client

if len(sys.argv) != 2:
    sys.exit(__doc__)
server = StdioServerParameters(
    command=sys.executable, args=["-m", "nearcopy", "mcp", "--store", sys.argv[1]]
)


async def main() -> None:
    """List the tools, and query the largest story."""
    async with Client(stdio_client(server)) as client:
        print(", ".join(tool.name for tool in (await client.list_tools()).tools))
        result = await client.call_tool("stories", {"order": "largest", "limit": 1})
        (story,) = result.structured_content["stories"]
        print(f"{story['title']}: {len(story['members'])} articles")


asyncio.run(main())
