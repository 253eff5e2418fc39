"""Pipelines of steps over a folder: their runner, the files and the replies they keep."""
