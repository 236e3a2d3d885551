"""Records of a chip: the archive, and where it comes from."""
