"""What leans on Textual's inside. `tests/unit/ui/test_textual_names.py` lists each name used."""
