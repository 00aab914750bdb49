"""Drawing diffs as lines."""
