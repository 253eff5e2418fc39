"""Strengths from preferences, as `warehouse.fits` makes them."""


def model(dbt, session):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Return one row per ranking and contestant."""
    dbt.config(materialized="table")
    from warehouse import fits  # noqa: PLC0415

    return fits.preference_strengths(dbt.ref("int_preference_contests"))
