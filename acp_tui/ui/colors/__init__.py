"""Colors and styles: themes, the styles by role that are made from one, and enough contrast."""
