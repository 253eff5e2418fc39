"""What reads the files of sources of parliamentary debates, and what makes their samples."""
