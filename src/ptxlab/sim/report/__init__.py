"""What a simulated launch leaves behind: counts by instruction, a timeline, findings."""
