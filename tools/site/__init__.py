"""`python -m tools.site`: the documents as a site, for any static host and for the file system.

`./dev docs` calls it. docs/ and the pages of the repository's root are written for GitHub; `pages.py` turns them into what the
generator reads, `nav.py` lists them, `config.py` says how the site looks.
"""
