"""A judge's profile: everything known of one judge, or of two beside each other."""
