"""Pages on debate as oversight: accuracy, calibration and ratings."""
