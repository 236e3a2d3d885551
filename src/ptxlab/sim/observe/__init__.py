"""What rides on a launch without changing it: counters, and the watch for launches that never end."""
