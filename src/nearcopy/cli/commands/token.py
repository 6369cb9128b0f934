"""`nearcopy token`: who may ask the service, and what they may do."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.options import JsonOption, environment
from nearcopy.cli.terminal import (
    ANSWER_NO,
    add_row,
    noted,
    printable,
    reported,
    show,
    table,
    write_lines,
)
from nearcopy.config.policy_file import nearest
from nearcopy.errors import BadPolicy

if TYPE_CHECKING:
    from nearcopy.service.tokens import Token, Tokens

ACTIONS = ("add", "list", "revoke")


@reported
def token(
    action: Annotated[str, typer.Argument(metavar="add|list|revoke", help="What to do.")],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Of the token.")] = None,
    scope: Annotated[
        str, typer.Option("--scope", metavar="SCOPES", help="read, write, admin; with commas.")
    ] = "read",
    pool: Annotated[
        str | None, typer.Option("--pool", metavar="NAME", help="For this pool alone.")
    ] = None,
    tokens: Annotated[
        str | None, typer.Option("--tokens", metavar="FILE", help="The file of tokens.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make, list and revoke tokens of the service."""
    from nearcopy.service.settings import settings_of
    from nearcopy.service.tokens import Tokens

    file = Tokens(settings_of({"tokens": tokens}, environment()).tokens)
    if action not in ACTIONS:
        hint = nearest(action, ACTIONS)
        raise BadPolicy(f"no action {action!r:.60}{hint}: choose from {', '.join(ACTIONS)}")
    if (name is None) != (action == "list"):
        raise BadPolicy("`token add NAME` and `token revoke NAME` name one; `token list` none")
    if action == "list":
        _list(file.all(), as_json)
    elif action == "add":
        _add(file, name or "", scope, pool, as_json)
    else:
        _revoke(file, name or "", as_json)


def _add(file: "Tokens", name: str, scope: str, pool: str | None, as_json: bool) -> None:
    from nearcopy.service.tokens import checked_scopes
    from nearcopy.stores.pools import checked_pool

    scopes = checked_scopes(scope)
    secret = file.add(name, scopes, pool and checked_pool(pool))
    if as_json:
        write_lines([{"name": name, "scopes": list(scopes), "pool": pool, "token": secret}])
    else:
        typer.echo(secret)
    noted(f"this is shown once; only its hash is kept, in {file.path}")


def _list(found: list["Token"], as_json: bool) -> None:
    if as_json:
        write_lines(map(_row, found))
        return
    shown = table("token", "may", "pool", "made")
    for each in found:
        add_row(shown, each.name, ", ".join(each.scopes), each.pool, each.made)
    show(shown)


def _row(token: "Token") -> dict[str, Any]:
    scopes = list(token.scopes)
    return {"name": token.name, "scopes": scopes, "pool": token.pool, "made": token.made}


def _revoke(file: "Tokens", name: str, as_json: bool) -> None:
    there = file.revoke(name)
    if as_json:
        write_lines([{"name": name, "revoked": there}])
    noted(f"{printable(name)} is revoked" if there else f"there is no token {printable(name)}")
    if not there:
        raise typer.Exit(ANSWER_NO)
