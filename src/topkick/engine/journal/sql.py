"""All SQL statements of the journal."""

SCHEMA_VERSION = 3

TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE records(
    seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, epoch INTEGER NOT NULL,
    at_us INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, chain BLOB NOT NULL);
CREATE TABLE texts(sha256 TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE inbox(
    id INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, sender TEXT NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, step INTEGER, outcome TEXT, refusal TEXT, seal BLOB NOT NULL);
CREATE INDEX unanswered ON inbox(id) WHERE outcome IS NULL;
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
RECORD = "SELECT seq, step, epoch, at_us, kind, body, chain FROM records WHERE seq = ?"
ADD_RECORD = (
    "INSERT INTO records(seq, step, epoch, at_us, kind, body, chain) VALUES (?, ?, ?, ?, ?, ?, ?)"
)

TEXT = "SELECT body FROM texts WHERE sha256 = ?"
ALL_TEXTS = "SELECT sha256, body FROM texts NOT INDEXED"
ADD_TEXT = "INSERT OR IGNORE INTO texts(sha256, body) VALUES (?, ?)"

POSTED, ANSWERED = "posted", "answered"
MOST_LETTERS = 1_000_000
POST = (
    "INSERT INTO inbox(id, at_us, sender, kind, body, step, outcome, refusal, seal) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_LETTER = "SELECT id, at_us, sender, kind, body, step, outcome, refusal, seal FROM inbox"
LETTER = f"{_LETTER} WHERE id = ?"
LETTERS = f"{_LETTER} NOT INDEXED ORDER BY id"
UNANSWERED = f"{_LETTER} INDEXED BY unanswered WHERE outcome IS NULL ORDER BY id"
ANSWER = "UPDATE inbox SET outcome = ?, refusal = ?, step = ?, seal = ? WHERE id = ?"
