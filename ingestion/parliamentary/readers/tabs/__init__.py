"""Reading the tabs of British Parliamentary tournaments: rooms, results, motions, transcripts."""
