"""Pictures of layouts and of simulated runs."""
