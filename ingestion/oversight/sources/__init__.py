"""One file a source of stories, debates about them and judgements."""
