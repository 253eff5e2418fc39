"""Dagster assets, one file per stage. Thin: each calls one plain function and says how it went."""
