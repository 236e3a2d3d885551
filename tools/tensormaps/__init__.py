"""Random calls of the driver's encoders of tensor maps, beside ptxlab's."""
