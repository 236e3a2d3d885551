"""PTX as tokens: the regular expressions, and a cursor for all that is no ordinary instruction.

An ordinary instruction never becomes tokens: STATEMENT takes it in one match, which is what makes parsing fast. All
quantifiers that could meet again on failure are possessive, so that no input takes more than linear time.
"""

from __future__ import annotations

import re

from ptxlab.diag import Diagnostic
from ptxlab.ptx.source import Source

# Before Python 3.11.5 a possessive group of which one turn fails halfway matches that half (Debian 12 has 3.11.2). So groups are
# ordinary ones where no two ways lead through them; where something stands behind, they look ahead before they begin a turn.
TRIVIA = (
    r"(?:[ \t\r\n\f]++|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/"
    r'|\#[ \t]*+(?:line)?[ \t]*+\d++[ \t]++"[^"\n]*+"[ \t\d]*+(?=[\r\n]|\Z))*'  # a preprocessor's line marker
)
IDENTIFIER = r"[A-Za-z_$%][\w$]*+"
OPCODE = r"[a-z]\w*+(?:(?=\.[\w:])\.[\w:]++)*+"

TOKEN = re.compile(
    r'"[^"\n]*+"'  # a backslash hides no quote
    r"|0[fF][0-9A-Fa-f]{8}\b|0[dD][0-9A-Fa-f]{16}\b"
    r"|0[xX][0-9A-Fa-f]++U?|0[bB][01]++U?"
    r"|\d++\.\d*+(?:[eE][+-]?\d++)?|\.\d++(?:[eE][+-]?\d++)?(?![A-Za-z_])|\d++[eE][+-]?\d++|\d++U?"
    r"|\.[A-Za-z_][\w$]*+(?:::\w++)*"
    rf"|{IDENTIFIER}(?:\.\w++)*(?:::\w++)*"
    r"|<<|>>|<=|>=|==|!=|&&|\|\||::"
    r"|[^ \t\r\n\f]",
    re.ASCII,
)

# lead, negation, guard, gap, opcode, gap, operands. Operands are bounded, so that text without semicolons is not read to its
# end again and again; longer ones go the slow way.
STATEMENT = re.compile(
    rf"({TRIVIA})(?:@(!?)([%\w$]++)([ \t]++))?({OPCODE})(?:([ \t]++)([^;:\"/#@]{{0,8192}}+))?;",
    re.ASCII,
)
LABEL = re.compile(rf"({TRIVIA})({IDENTIFIER})({TRIVIA}):(?!:)", re.ASCII)
BLANK = re.compile(TRIVIA)
OPCODE_AT = re.compile(OPCODE + r"(?![$:])", re.ASCII)
MODIFIERS_AT = re.compile(rf"({TRIVIA})((?:\.\d*+[A-Za-z]\w*+(?:::\w++)*)+)", re.ASCII)

SELECTORS = frozenset([".x", ".y", ".z", ".w", ".r", ".g", ".b", ".a"])
"""What picks an element of a vector register; a gap may stand in front of it."""

_NAME_BEGINS = frozenset("%$_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

NO_NAMES = frozenset(("_", "%", "$", "WARP_SZ", "function_name", "inlined_at"))

END = ""  # the token at the end of the text


class Cursor:
    """Tokens one by one, with what stands in front of each.

    `gaps` and `tokens` collect what was consumed since `begin`; a node takes its gaps from there.
    """

    __slots__ = ("_ahead", "gaps", "pos", "source", "text", "tokens")

    def __init__(self, source: Source) -> None:
        self.source, self.text, self.pos = source, source.text, 0
        self.gaps: list[str] = []
        self.tokens: list[str] = []
        self._ahead: tuple[int, str, str, int] | None = None  # at pos: gap, token, end

    def seek(self, pos: int) -> None:
        """Go on at an offset."""
        self.pos = pos
        self._ahead = None

    def begin(self) -> None:
        """Start collecting a node's gaps."""
        self.gaps, self.tokens = [], []

    def _look(self) -> tuple[int, str, str, int]:
        if self._ahead is None or self._ahead[0] != self.pos:
            blank = BLANK.match(self.text, self.pos)
            start = blank.end() if blank else self.pos
            found = TOKEN.match(self.text, start)
            token, end = (found.group(), found.end()) if found else (END, start)
            self._ahead = (self.pos, self.text[self.pos : start], token, end)
        return self._ahead

    def peek(self) -> str:
        """The next token, END at the end."""
        return self._look()[2]

    def start(self) -> int:
        """The offset of the next token."""
        at = self._look()
        return at[0] + len(at[1])

    def next(self) -> str:
        """Consume a token."""
        _, gap, token, end = self._look()
        self.gaps.append(gap)
        self.tokens.append(token)
        self.pos = end
        self._ahead = None
        return token

    def cut(self, length: int) -> None:
        """Take the next token for one of so many characters."""
        pos, gap, token, end = self._look()
        self._ahead = (pos, gap, token[:length], end - len(token) + length)

    def accept(self, *tokens: str) -> str | None:
        """Consume the next token if it is one of these."""
        return self.next() if self.peek() in tokens else None

    def expect(self, token: str) -> str:
        """Consume this token. Raises Diagnostic when another stands there."""
        if self.peek() != token:
            raise self.wrong(f"`{token}`")
        return self.next()

    def name(self, what: str) -> str:
        """Consume an identifier."""
        token = self.peek()
        named = token[:1] in _NAME_BEGINS
        if not named or "." in token or ":" in token or token in NO_NAMES:
            raise self.wrong(what)
        return self.next()

    def selects(self) -> bool:
        """Whether the next token picks an element of the name that was consumed last."""
        return self.peek() in SELECTORS and self.tokens[-1:] != [] and self.tokens[-1][0] in _NAME_BEGINS

    def wrong(self, wanted: str, help: str | None = None) -> Diagnostic:
        """The diagnostic that something else stands here than what is wanted."""
        start, token = self.start(), self.peek()
        if token == END:
            end = len(self.source.text.rstrip())
            return Diagnostic(
                "PTX0003", f"the text ends where {wanted} should stand", help=help, span=self.source.span(end, end)
            )
        shown = token if len(token) <= 40 else token[:40] + "…"
        shown = shown if shown.isprintable() else ascii(shown)[1:-1]
        return Diagnostic(
            "PTX0001",
            f"expected {wanted}, found `{shown}`",
            help=help,
            span=self.source.span(start, start + len(token)),
        )


def tokens(text: str) -> list[str]:
    """All tokens of a short text without comments."""
    return TOKEN.findall(text)
