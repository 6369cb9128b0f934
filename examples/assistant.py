"""What an assistant does with `nearcopy mcp`: python examples/assistant.py seen.db"""

import asyncio
import sys

from mcp import Client, StdioServerParameters, stdio_client

if len(sys.argv) != 2:
    sys.exit(__doc__)
server = StdioServerParameters(
    command=sys.executable, args=["-m", "nearcopy", "mcp", "--store", sys.argv[1]]
)


async def main() -> None:
    """Asks which tools there are, and for the largest story."""
    async with Client(stdio_client(server)) as client:
        print(", ".join(tool.name for tool in (await client.list_tools()).tools))
        found = await client.call_tool("stories", {"order": "largest", "limit": 1})
        (story,) = found.structured_content["stories"]
        print(f"{story['title']}: {len(story['members'])} articles")


asyncio.run(main())
