"""People and judges on one scale, as `warehouse.fits.scales` puts them there."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per scale, quantity, name and source."""
    dbt.config(materialized="table")
    from warehouse.fits import scales

    return scales.scales(dbt.ref("int_scale_ratings"))
