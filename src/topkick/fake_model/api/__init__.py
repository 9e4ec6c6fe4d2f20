"""The dialects of model servers that the scripted model speaks."""
