"""Parts shared by screens: boxes, lists, dialogs, notes, the guard against premature keys."""
