"""Rates of frames with labels, as `warehouse.fits.rates` estimates them."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per frame with labels and way of asking a judge."""
    dbt.config(materialized="table")
    from warehouse.fits import rates

    return rates.rate_estimates(dbt.ref("int_rate_clusters"))
