"""The GPU side: assemble, load, launch. Nothing here is imported before it is needed."""
