"""Scores mapped to human means, each topic by a fit to the others: `warehouse.fits.calibration`."""


def model(dbt, session):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Return one row per judge, template, item and method."""
    dbt.config(materialized="table")
    from warehouse.fits import calibration  # noqa: PLC0415

    return calibration.calibrated_scores(dbt.ref("int_calibration_items"))
