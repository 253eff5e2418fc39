"""Builds of the marts: dbt as Rostrum runs it, what it need not do again, how far it is."""
