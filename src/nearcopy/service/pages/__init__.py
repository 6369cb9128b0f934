"""HTML pages for users: overview, stories, pairs, try, sign-in; each has a JSON twin."""

from nearcopy.service.pages import overview, pairs, preview, render, sign_in, stories

ROUTERS = (
    *(overview.router, stories.router, pairs.router),
    *(preview.router, sign_in.router, render.router),
)
