"""What only developers of ptxlab run, from the root of a checkout: recording on a GPU, fuzzing, comparing with the driver."""
