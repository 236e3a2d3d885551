"""Pure arithmetic of layouts: swizzles, fragments, matrix descriptors, operand tiles, tensor maps."""

from ptxlab.layout.fragments import Fragment, ldmatrix, mma_a, mma_b, mma_d, wgmma_a, wgmma_d
from ptxlab.layout.matrix_descriptor import Major, MatrixDescriptor, element_offsets
from ptxlab.layout.shapes import MatrixFragment, Metadata, MetadataPlace, Place, fragment, sparse_metadata
from ptxlab.layout.swizzles import (
    CHUNK,
    SWIZZLES,
    Swizzle,
    SwizzleLike,
    swizzle,
    swizzle_atom,
    swizzle_mask,
    swizzle_mode,
    swizzle_span,
)
from ptxlab.layout.tensorbox import BoxChunks, BoxRows, TileBox, box_elements, tile_box
from ptxlab.layout.tensormap import Im2col, TensorMap, address_of
from ptxlab.layout.tensormap_array import tensor_map
from ptxlab.layout.tile import OperandTile, align_up, k_major, mn_major, padded_pitch

__all__ = [
    "CHUNK",
    "SWIZZLES",
    "BoxChunks",
    "BoxRows",
    "Fragment",
    "Im2col",
    "Major",
    "MatrixDescriptor",
    "MatrixFragment",
    "Metadata",
    "MetadataPlace",
    "OperandTile",
    "Place",
    "Swizzle",
    "SwizzleLike",
    "TensorMap",
    "TileBox",
    "address_of",
    "align_up",
    "box_elements",
    "element_offsets",
    "fragment",
    "k_major",
    "ldmatrix",
    "mma_a",
    "mma_b",
    "mma_d",
    "mn_major",
    "padded_pitch",
    "sparse_metadata",
    "swizzle",
    "swizzle_atom",
    "swizzle_mask",
    "swizzle_mode",
    "swizzle_span",
    "tensor_map",
    "tile_box",
    "wgmma_a",
    "wgmma_d",
]
