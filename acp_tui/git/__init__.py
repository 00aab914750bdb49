"""One runner of git, and a folder's files as trees, refs and worktrees."""
