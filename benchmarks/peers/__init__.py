"""Other tools on the same tables: each in an environment of its own, asked by a script that knows nothing of fairaudit."""
