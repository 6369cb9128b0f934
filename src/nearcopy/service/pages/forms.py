"""Forms: what a browser sends without a script."""

from urllib.parse import parse_qsl

from starlette.requests import Request

from nearcopy.service.problems import Problem

KIND = "application/x-www-form-urlencoded"
FIELDS = 50


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; the last of those of one name."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != KIND:
        raise Problem(415, "send a form, or JSON to the API")
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:
        raise Problem(422, f"a form here has no more than {FIELDS} fields") from None


def inside(address: str) -> str:
    """The address where it is one of this service, else the first page: nobody is sent away."""
    local = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if local and address.isprintable() and address.isascii() else "/"
