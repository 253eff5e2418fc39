"""Simulation studies: do intervals cover the truth, and do tests keep their level?"""
