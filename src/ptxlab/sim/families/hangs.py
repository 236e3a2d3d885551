"""How waits for families hang: importing this module registers it."""
