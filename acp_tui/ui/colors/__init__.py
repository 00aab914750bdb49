"""Colors and styles: themes, the palette of styles made from a theme, and sufficient contrast."""
