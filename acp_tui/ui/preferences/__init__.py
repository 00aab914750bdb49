"""What was chosen on screens and holds in later runs, too."""
