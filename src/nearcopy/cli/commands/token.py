"""`nearcopy token`: access tokens of the service."""

from typing import TYPE_CHECKING, Any

import typer

from nearcopy.cli.options import JsonOption, argument, environment, option
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import ANSWER_NO, note, printable, show, write_json_lines
from nearcopy.config.policy_file import suggest
from nearcopy.errors import BadPolicy

if TYPE_CHECKING:
    from nearcopy.service.auth import Token, Tokens

ACTIONS = ("add", "list", "revoke")


def token(
    action: str = argument("add|list|revoke", "Action."),
    name: str | None = argument("NAME", "Name of the token.", default=None),
    scope: str = option("SCOPES", "read, write, admin; separated by commas.", default="read"),
    pool: str | None = option("NAME", "Restrict it to this pool."),
    tokens: str | None = option("FILE", "Token file."),
    as_json: JsonOption = False,
) -> None:
    """Create, list and revoke tokens of the service."""
    from nearcopy.service.auth import Tokens
    from nearcopy.service.settings import load_settings

    file = Tokens(load_settings({"tokens": tokens}, environment()).tokens)
    if action not in ACTIONS:
        hint = suggest(action, ACTIONS)
        raise BadPolicy(f"no action {action!r:.60}{hint}: choose from {', '.join(ACTIONS)}")
    if (name is None) != (action == "list"):
        raise BadPolicy("`token add` and `token revoke` take a NAME; `token list` takes none")
    if action == "list":
        _list(file.all(), as_json)
    elif action == "add":
        _add(file, name or "", scope, pool, as_json)
    else:
        _revoke(file, name or "", as_json)


def _add(file: "Tokens", name: str, scope: str, pool: str | None, as_json: bool) -> None:
    from nearcopy.service.auth import parse_scopes
    from nearcopy.stores import validate_pool

    scopes = parse_scopes(scope)
    secret = file.add(name, scopes, pool and validate_pool(pool))
    if as_json:
        write_json_lines([{"name": name, "scopes": list(scopes), "pool": pool, "token": secret}])
    else:
        typer.echo(secret)
    note(f"the token is shown only once; its hash is stored in {file.path}")


def _list(tokens: list["Token"], as_json: bool) -> None:
    if as_json:
        write_json_lines(map(_row, tokens))
        return
    table = make_table("token", "scopes", "pool", "created")
    for token in tokens:
        add_row(table, token.name, ", ".join(token.scopes), token.pool, token.created)
    show(table)


def _row(token: "Token") -> dict[str, Any]:
    scopes = list(token.scopes)
    return {"name": token.name, "scopes": scopes, "pool": token.pool, "created": token.created}


def _revoke(file: "Tokens", name: str, as_json: bool) -> None:
    revoked = file.revoke(name)
    if as_json:
        write_json_lines([{"name": name, "revoked": revoked}])
    note(f"{printable(name)} is revoked" if revoked else f"there is no token {printable(name)}")
    if not revoked:
        raise typer.Exit(ANSWER_NO)
