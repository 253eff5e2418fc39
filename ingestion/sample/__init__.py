"""The bundled sample: speeches and ratings written for this project, not real data.

It exists so that a fresh clone has something to load, judge and show. Nothing measured on it
says anything about people or about debates. See the README beside this file.
"""
