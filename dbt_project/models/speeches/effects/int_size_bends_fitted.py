"""Where agreement bends with size, as `warehouse.fits.sizes` finds it."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per trend and family with enough sizes, and one over all families."""
    dbt.config(materialized="table")
    from warehouse.fits import sizes

    return sizes.size_bends(
        dbt.ref("int_size_points"),
        dbt.ref("int_size_observations"),
        dbt.ref("int_size_replicates"),
    )
