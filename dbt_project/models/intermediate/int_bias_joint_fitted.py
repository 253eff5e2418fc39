"""The joint models, as `warehouse.fits` makes them of the judges whose rows have changed."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per fit and term."""
    dbt.config(materialized="incremental", incremental_strategy="replace")
    from warehouse import fits  # noqa: PLC0415

    previous = session.sql(f"from {dbt.this}") if dbt.is_incremental else None
    return fits.joint_models(
        dbt.ref("int_bias_joint_rows"),
        dbt.ref("int_bias_joint_settings"),
        dbt.ref("int_bias_joint_fingerprints"),
        previous,
    )
