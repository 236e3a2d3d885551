"""Which source lines diagnostics may show."""

from __future__ import annotations

import os
from pathlib import Path

from ptxlab.diag import Diagnostic, allow_source, allowed_sources, user_span
from ptxlab.diag.boundary import public


@public
def sources(*folders: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Let diagnostics show source lines from these folders and below, where `.loc` of PTX names them.

    PTX names files as it likes. Without this, only those beside the .ptx file or below it are opened, and Python files that run
    in this process. Hidden files, links that lead elsewhere, and what is no regular file are never opened.

    Returns: all folders that are allowed now.

    Raises: Diagnostic PTX2500 for what is no folder.

    Args:
        *folders: folders whose source files may be opened; none: only asks.

    Example:
        px.sources(".")  # CUDA sources that lie here
        print(len(px.sources()) > 0)  # True
    """
    for folder in folders:
        try:
            allow_source(folder)
        except (OSError, ValueError, TypeError) as e:
            reason = (e.strerror if isinstance(e, OSError) else None) or str(e)
            raise Diagnostic(
                "PTX2500",
                f"{folder} is no folder: {reason}.",
                help="name a folder with source files",
                origin=user_span(),
            ) from None
    return allowed_sources()
