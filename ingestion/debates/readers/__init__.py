"""What reads the files of sources of debates, and what makes their samples."""
