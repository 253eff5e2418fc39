"""Figures that papers print, as the rows they were counted from."""
