"""What reads the files of sources of speeches, and what makes their samples."""
