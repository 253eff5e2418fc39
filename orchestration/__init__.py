"""Dagster assets, checks, partitions, jobs, sensors, the servers and the command line."""
