"""Opening, switching and closing sessions, and showing those from recordings."""
