"""Protocol rules beyond the schema, checked record by record; one module per subject."""
