"""What is fitted rather than counted, a file a model; the dbt models `int_*_fitted` call them."""
