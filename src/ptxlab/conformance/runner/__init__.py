"""`ptxlab conformance`: the suites, and how the simulator is held to them."""
