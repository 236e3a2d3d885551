"""What a kernel costs: machine code as the scheduler sees it, and what a chip takes for each kind of instruction."""
