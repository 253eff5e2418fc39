"""Reading the rooms of people who debated about stories at NYU."""
