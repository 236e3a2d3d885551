"""The front door of the simulator: a launch record goes in, results and a report come out."""
