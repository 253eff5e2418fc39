"""Fitted models, one per file, called by the dbt models `int_*_fitted`."""
