"""Networks and their wrappers, one package per kind. Nothing here knows Qt, turns or threads."""
