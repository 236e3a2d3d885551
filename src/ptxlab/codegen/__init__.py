"""Machine code from Python: text for LLVM, by expressions on vectors (`ir.py`), or from functions in a subset of Python.

The second are native functions. A function decorated with `native` is compiled, never run by Python. It computes with integers
of 64 bits with a sign, booleans, and records (`records.py`), of which each call has one array: that of its first argument,
which functions do not mention.

| in a function | means |
|---|---|
| `slot.known[warp][other]`, `slot.count += 1` | reads and sets fields; words of 32 bits have no sign, and are cut when set |
| `Cell(index)`, `int(cell)`, `cell[2]`, `if cell:` | the record at an index, its index, the second behind it, whether it is one |
| `values[i]` | element of an array of 64-bit integers that the caller hands in (`LONGS`) |
| `address(values)`, `longs(number)` | such an array as a number, and back |
| `signed(word)` | a word as a number with a sign |
| `clear(slot.known)`, `copy(to, by)`, `raise_to(to, by)` | sets all words: to 0, to another array's, to the greater ones |
| calls | of other native functions, `min`, `max`, `abs`, `int`, `bool` |
| `follows.copies` | true or false for all that is compiled together (`Switches`): what it excludes costs nothing |
| `and`, `or` | give a boolean, whatever they combine |
| `if`, `while`, `for … in range(…)`, `for … in (a, b)`, tuples, `not`, `x if a else b` | as in Python; `//` and `%` round down |

Names from outside of a function are constants: numbers, classes of records, native functions. A variable keeps the type that it has
first. What the subset lacks raises `NotNative` with file and line. A function must not call itself.

| file | has |
|---|---|
| `ir.py` | LLVM functions under construction: expressions on vectors and scalars |
| `structure.py` | structures in memory that machine code and Python share, declared by fields |
| `records.py` | records: structures in an array of words, declared by fields |
| `language.py` | what functions are written with |
| `values.py` | types and values of a function under construction |
| `expressions.py`, `function.py` | expressions and statements as LLVM text |
| `unit.py` | functions that are compiled together |
"""
