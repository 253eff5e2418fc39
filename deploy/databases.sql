-- Postgres makes the database of Dagster itself; this is the catalog of the lake.
create database lake;
