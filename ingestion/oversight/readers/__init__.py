"""What reads the files of sources of stories and debates about them, and makes their sample."""
