"""Every statement of the journal, in one place."""

SCHEMA_VERSION = 1

TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE records(
    seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, epoch INTEGER NOT NULL,
    at_us INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, chain BLOB NOT NULL);
CREATE TABLE texts(sha256 TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE inbox(
    id INTEGER PRIMARY KEY AUTOINCREMENT, at_us INTEGER NOT NULL, sender TEXT NOT NULL,
    kind TEXT NOT NULL, body TEXT NOT NULL, step INTEGER, answer TEXT);
CREATE INDEX unanswered ON inbox(id) WHERE answer IS NULL;
"""

# `synchronous` and `fullfsync` belong to the connection, not to the file: set at every opening.
PRAGMAS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA fullfsync=ON",
    "PRAGMA checkpoint_fullfsync=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
)

SET_META = "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)"
GET_META = "SELECT value FROM meta WHERE key = ?"

HEAD = "SELECT seq, chain, step, epoch FROM records ORDER BY seq DESC LIMIT 1"
CHAIN_AT = "SELECT chain FROM records WHERE seq = ?"
RECORDS = (
    "SELECT seq, step, epoch, at_us, kind, body, chain FROM records "
    "WHERE seq > ? ORDER BY seq LIMIT ?"
)
ADD_RECORD = (
    "INSERT INTO records(seq, step, epoch, at_us, kind, body, chain) VALUES (?, ?, ?, ?, ?, ?, ?)"
)

TEXT = "SELECT body FROM texts WHERE sha256 = ?"
ALL_TEXTS = "SELECT sha256, body FROM texts"
ADD_TEXT = "INSERT OR IGNORE INTO texts(sha256, body) VALUES (?, ?)"

POST = "INSERT INTO inbox(at_us, sender, kind, body) VALUES (?, ?, ?, ?)"
UNANSWERED = (
    "SELECT id, at_us, sender, kind, body, answer FROM inbox WHERE answer IS NULL ORDER BY id"
)
ANSWER_OF = "SELECT answer FROM inbox WHERE id = ?"
ANSWER = "UPDATE inbox SET answer = ?, step = ? WHERE id = ? AND answer IS NULL"
