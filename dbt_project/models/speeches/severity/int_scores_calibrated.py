"""Scores mapped to human means, each topic by a fit to the others: `warehouse.fits.calibration`."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per judge, template, item and method."""
    dbt.config(materialized="table")
    from warehouse.fits import calibration

    return calibration.calibrated_scores(dbt.ref("int_calibration_items"))
