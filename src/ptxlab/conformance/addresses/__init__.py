"""What addresses of shared memory are, and how descriptors reach it."""
