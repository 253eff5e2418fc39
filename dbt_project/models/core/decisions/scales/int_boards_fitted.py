"""Boards of debaters, as `warehouse.fits.boards` makes them of logs of debates."""


def model(dbt, session):  # type: ignore[no-untyped-def]
    """Return one row per data set, board, quantity and name."""
    dbt.config(materialized="table")
    from warehouse.fits import boards

    return boards.boards(dbt.ref("int_board_games"))
