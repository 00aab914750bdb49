"""Parts shared by screens: boxes, lists, dialogs, notes, and the guard against keys typed too early."""
