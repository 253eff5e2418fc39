"""Strengths from preferences, as `warehouse.fits.preferences` makes them."""


def model(dbt, session):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Return one row per ranking and contestant."""
    dbt.config(materialized="table")
    from warehouse.fits import preferences  # noqa: PLC0415

    return preferences.preference_strengths(dbt.ref("int_preference_contests"))
