"""What lies between the products of a transformer: kernels that read rows of a matrix once and write them once.

`norms`, `gradients`, `scores`, `losses` and `fp8` have the operations. `skeleton` has what their kernels share, `layout` the choice
of threads for a row, `numbers` types and functions in registers, `columns` sums over rows, and `call` the checks of arguments.
`transposed` stands apart: its kernel has tiles.
"""

from ptxlab.kernels.rows.fp8 import prepare_quantize, quantize
from ptxlab.kernels.rows.gradients import (
    layer_norm_backward,
    prepare_layer_norm_backward,
    prepare_rms_norm_backward,
    rms_norm_backward,
)
from ptxlab.kernels.rows.losses import (
    cross_entropy,
    cross_entropy_backward,
    prepare_cross_entropy,
    prepare_cross_entropy_backward,
)
from ptxlab.kernels.rows.norms import layer_norm, prepare_layer_norm, prepare_rms_norm, rms_norm
from ptxlab.kernels.rows.scores import prepare_softmax, softmax
from ptxlab.kernels.rows.transposed import prepare_transpose, transpose

__all__ = [
    "cross_entropy",
    "cross_entropy_backward",
    "layer_norm",
    "layer_norm_backward",
    "prepare_cross_entropy",
    "prepare_cross_entropy_backward",
    "prepare_layer_norm",
    "prepare_layer_norm_backward",
    "prepare_quantize",
    "prepare_rms_norm",
    "prepare_rms_norm_backward",
    "prepare_softmax",
    "prepare_transpose",
    "quantize",
    "rms_norm",
    "rms_norm_backward",
    "softmax",
    "transpose",
]
