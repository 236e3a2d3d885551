"""The commands of `ptxlab`, one module each: its options, and what it does. `ptxlab.cli` assembles them."""
