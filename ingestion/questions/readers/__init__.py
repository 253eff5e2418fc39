"""What reads the files of sources of debatable questions, and what makes their samples."""
