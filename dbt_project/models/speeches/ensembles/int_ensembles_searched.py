"""The best ensembles, as `warehouse.fits.ensembles` finds them where scores have changed."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per panel, size, pooling and rank."""
    dbt.config(materialized="incremental", incremental_strategy="replace")
    from warehouse.fits import ensembles

    previous = session.sql(f"from {dbt.this}") if dbt.is_incremental else None
    return ensembles.ensemble_searches(
        dbt.ref("int_ensemble_panels"), dbt.ref("int_ensemble_scores"), previous
    )
