"""What a kernel function handles while it is traced: registers, addresses, types; and how a call becomes an instruction."""
