"""The machine of one launch: memories, CTAs and clusters, who runs next, traps and faults."""
