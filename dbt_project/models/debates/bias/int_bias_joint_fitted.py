"""The joint models, as `warehouse.fits.joint` makes them of the judges whose rows have changed."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per fit and term."""
    dbt.config(materialized="incremental", incremental_strategy="replace")
    from warehouse.fits import joint

    previous = session.sql(f"from {dbt.this}") if dbt.is_incremental else None
    return joint.joint_models(
        dbt.ref("int_bias_joint_rows"),
        dbt.ref("int_bias_joint_settings"),
        dbt.ref("int_bias_joint_fingerprints"),
        previous,
    )
