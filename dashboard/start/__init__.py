"""The first page: which judge should I trust, for what?"""
