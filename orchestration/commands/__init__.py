"""Operations, and the work that they share; the command line itself is `orchestration.cli`."""
