"""Random programs that no record holds: compared, traced, made small."""
