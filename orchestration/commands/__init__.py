"""What each command does; the command line itself is `orchestration.cli`."""
