"""`ptxlab bench kernels`: the matrix products of `ptxlab.kernels` beside all peers that are installed, in one run on one GPU.

`works` lists what is measured and what each line has to reach, `ours` and `peers` are the contenders, `timing` times them,
`measure` brings them together for one line, `table`, `picture` and `run` show and keep what was found.
"""
