"""The happens-before graph of a finding, as data and as a picture."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ptxlab.diag.order_graph import OrderGraph
from ptxlab.diag.order_svg import drawn, saved


@dataclass(frozen=True, slots=True, repr=False)
class HappensBefore(OrderGraph):
    """What orders the two accesses of a finding, and what does not. `Diagnostic.graph` has it.

    Attributes:
        code: of the finding. columns, events, edges: the graph; events are in the order in which they happened.
        first, second: the two accesses, by number of event.
        missing: what is said of the edge between them; "" where they are in order. help: the line that would add it.
        found: whether the launch has the finding.
        ordered: whether who comes last knows of the first access; for some findings that is not enough.

    Example:
        @px.kernel(threads=64)
        def swap(k, out: px.Ptr[px.u32]):
            row = k.smem(px.u32, 64)
            k.st.shared.u32(row[k.tid.x], k.tid.x)
            k.st.global_.u32(out[k.tid.x], k.ld.shared.u32(row[k.tid.x ^ 32]))

        report = px.simulate(swap, grid=1, args=[np.zeros(64, np.uint32)], graphs=True)
        graph = report.findings[0].graph()
        print([column.name for column in graph.columns])  # ['thread (0, 0, 0)', 'thread (32, 0, 0)']
        print([event.does for event in graph.events])  # ['reads smem[32]', 'writes smem[32]']
        print(graph.edges, graph.on_way, graph.state)  # () False nothing orders the two
    """

    def _repr_svg_(self) -> str:
        return drawn([self])

    def save(self, path: str | os.PathLike[str], repaired: HappensBefore | None = None) -> Path:
        """Write the graph as an SVG picture.

        Args:
            path: .svg. repaired: the same two accesses in another run, to be drawn below.

        Raises: Diagnostic PTX2501 for another ending, PTX2500 where the file cannot be written.

        Returns: the path.

        Example:
            def draw(faulty, repaired):  # reports of launches with graphs=True
                graph = faulty.findings[0].graph()
                graph.save("graph.svg", repaired.order.same(graph))
        """
        return saved([self] if repaired is None else [self, repaired], Path(path))


__all__ = ["HappensBefore"]
