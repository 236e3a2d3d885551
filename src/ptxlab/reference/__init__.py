"""The rows for people: `ptxlab explain`, and the pages of the reference."""
