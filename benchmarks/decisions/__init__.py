"""Do decisions about judges keep what they promise, and what do they take?"""
