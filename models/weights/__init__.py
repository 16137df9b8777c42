"""Weights on disk: the catalogue, fetching, checking, preparing."""

from models.weights.catalog import Catalog, Checkpoint, load_catalog
from models.weights.errors import CatalogError, FetchError
from models.weights.store import State, locate, state

__all__ = ["Catalog", "CatalogError", "Checkpoint", "FetchError", "State", "load_catalog", "locate", "state"]
