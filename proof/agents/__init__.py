"""The real agent programs against the scripted model: installed, driven, recorded."""
