"""PTX text and trees: parse, print, lower."""
