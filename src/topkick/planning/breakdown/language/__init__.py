"""The words by which requirements, roles and orders are recognised."""
