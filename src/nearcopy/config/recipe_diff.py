"""What recipes are called, and in what two of them differ."""

from collections.abc import Iterator
from dataclasses import fields

from nearcopy.config.recipe import RECIPES, Features, FrequencyTable, Recipe


def called(recipe: str) -> str:
    """A recipe's id, after the presets that have it.

    >>> called("r1-0"), called(Recipe().id) == f"default or tracker ({Recipe().id})"
    ('r1-0', True)
    """
    presets = [name for name, each in RECIPES.items() if each.id == recipe]
    return f"{' or '.join(presets)} ({recipe})" if presets else recipe


def differences(there: Recipe, here: Recipe) -> str:
    """What is otherwise in one recipe than in another; nothing where they are one.

    >>> differences(Recipe(), RECIPES["crawler"])
    'simhash is of 3 words there and of 5 words here, minhash is of 3 words there and left out here'
    """
    return ", ".join(_differences(there, here))


def _differences(there: Recipe, here: Recipe) -> Iterator[str]:
    for field in fields(Recipe):
        theirs, ours = getattr(there, field.name), getattr(here, field.name)
        if theirs != ours:
            yield f"{field.name} is {_said(theirs)} there and {_said(ours)} here"


def _said(value: object) -> str:
    if isinstance(value, Features):
        return f"of {value.size} {value.unit.removesuffix('s') if value.size == 1 else value.unit}"
    if isinstance(value, FrequencyTable):
        return f"counted in {value.documents} articles"
    return "left out" if value is None else str(value)
