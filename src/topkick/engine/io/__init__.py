"""Files and directories: written atomically, read carefully, watched for changes."""
