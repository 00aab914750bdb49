"""The marks of Markdown within a text."""

import re

SPECIAL = re.compile(r"[\\`*_~\[\]<&]|!\[|://|  \n")
"""What a text has that is not shown as it stands."""
MARKS = re.compile(r"[*_]+|~+|`+|\[|<")
"""What opens or closes emphasis, code and links."""
