"""The shapes of what is sent, for the OpenAPI document and to be read by."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ArticleIn(BaseModel):
    """An article. Fields go by their usual names too, such as `headline` and `body`."""

    model_config = ConfigDict(extra="allow")
    id: str | None = Field(None, description="Yours; without one, the address or a digest.")
    title: str | None = None
    text: str | None = Field(None, description="Plain, or HTML where `html` is true.")
    html: bool | None = None
    url: str | None = None
    canonical_url: str | None = None
    source: str | None = None
    published: str | None = Field(None, description="ISO 8601, or as feeds write it.")
    language: str | None = None
    tier: int | None = None


class FeedbackIn(BaseModel):
    """What somebody says of two articles."""

    model_config = ConfigDict(extra="forbid")
    a: str
    b: str
    same: bool
    relation: str | None = None
    note: str = Field("", max_length=10_000)


class ActIn(BaseModel):
    """What somebody does to a story."""

    model_config = ConfigDict(extra="forbid")
    act: Literal["keep", "split", "merge"]
    article: str = Field(description="The article; of a merge also a story.")
    other: str | None = Field(None, description="The story, or an article in it, to merge with.")
    note: str = Field("", max_length=10_000)


class Accept(BaseModel):
    """The policy that was shown, and is to be written."""

    model_config = ConfigDict(extra="forbid")
    digest: str
