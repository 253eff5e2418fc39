"""The formats that judges' answers come in, one a file, each read into typed rows with a place."""
