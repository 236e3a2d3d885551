"""Records of an H100 that the simulator is held to."""
