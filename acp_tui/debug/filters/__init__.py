"""The log's filter language: parsing, completion, and predicates on rows. Pure."""
