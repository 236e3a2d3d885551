"""Pure arithmetic of layouts: swizzles, fragments, matrix descriptors, tensor maps."""
