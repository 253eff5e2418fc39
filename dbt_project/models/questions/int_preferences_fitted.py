"""Strengths from preferences, as `warehouse.fits.preferences` makes them."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per ranking and contestant."""
    dbt.config(materialized="table")
    from warehouse.fits import preferences

    return preferences.preference_strengths(dbt.ref("int_preference_contests"))
