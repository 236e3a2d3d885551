"""Who executes what: branches and loops, threads by warp and warpgroup, roles."""
