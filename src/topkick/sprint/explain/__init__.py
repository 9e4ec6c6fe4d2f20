"""The history of a state, record by record, with the evidence."""
