"""Ratings of debaters and what rises with them, as `warehouse.fits.debaters` makes them."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per field, quantity, name and debater."""
    dbt.config(materialized="table")
    from warehouse.fits import debaters

    return debaters.debater_ratings(dbt.ref("int_debater_contests"), dbt.ref("int_debater_fields"))
