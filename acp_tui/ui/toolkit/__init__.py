"""What screens share: boxes, lists, dialogs, notes, and the guard against keys typed too early."""
