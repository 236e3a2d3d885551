"""A judge of kernels: whether a candidate computes what a reference computes, on inputs that it draws anew."""
