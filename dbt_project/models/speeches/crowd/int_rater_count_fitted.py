"""Panels of raters, and judges, against a reference; `warehouse.fits.rater_counts` makes them."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per panel size, and one per judge, prompt and failure rule."""
    dbt.config(materialized="table")
    from warehouse.fits import rater_counts

    return rater_counts.rater_counts(
        dbt.ref("int_crowd_panels"),
        dbt.ref("int_ratings_indexed"),
        dbt.ref("int_rank_clusters"),
        dbt.ref("int_item_scores"),
    )
