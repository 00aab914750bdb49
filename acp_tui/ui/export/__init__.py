"""A session written to a file: as Markdown, as a page of HTML, as a picture of the screen."""
