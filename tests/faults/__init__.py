"""What a kill, a full disk or a second writer may do to a home: nothing that lasts."""
