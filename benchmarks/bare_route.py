"""A route that returns a constant: what FastAPI and the server cost by themselves."""

from fastapi import FastAPI

app = FastAPI()


@app.get("/constant")
async def constant() -> dict[str, str]:
    """Nothing to look up."""
    return {"similar": "none"}
