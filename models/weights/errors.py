"""What can go wrong with the catalogue and with fetching."""

from __future__ import annotations

from models.errors import ModelError


class CatalogError(ModelError):
    """The catalogue of weights is damaged, or does not know a name."""


class FetchError(ModelError):
    """A file cannot be had from a source. Whatever was fetched before stays and is used by the next run."""


class DiskFullError(FetchError):
    """There is no room for the weights; another source would not help."""
