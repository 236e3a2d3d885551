"""What tests of users' projects get: the pytest plugin."""
