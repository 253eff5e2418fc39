"""Names under which people judge, with passphrases.

A courtesy, not access control: it keeps one person from continuing another's work by mistake. Only
a salted hash is kept, in the home, and never published.
"""

import hashlib
import hmac
import json
import os
from typing import Any

from warehouse.files import write_atomically
from warehouse.home import Home

# OWASP's advice for scrypt: 32 MiB and about 0.1 s a try.
_COST: dict[str, Any] = {"n": 2**15, "r": 8, "p": 1, "maxmem": 2**26}
_FILE = "names.json"


def has_passphrase(home: Home, name: str) -> bool:
    """Return whether a name has a passphrase."""
    return name in _read_names(home)


def give_passphrase(home: Home, name: str, passphrase: str) -> bool:
    """Set a name's passphrase; return False if it has one, which stays."""
    known = _read_names(home)
    if name in known:
        return False
    salt = os.urandom(16)
    known[name] = {"salt": salt.hex(), "scrypt": _hash(passphrase, salt)}
    write_atomically(home.root / _FILE, json.dumps(known, ensure_ascii=True).encode())
    return True


def is_passphrase(home: Home, name: str, passphrase: str) -> bool:
    """Return whether this is the passphrase of a name."""
    kept = _read_names(home).get(name)
    return kept is not None and hmac.compare_digest(
        kept["scrypt"], _hash(passphrase, bytes.fromhex(kept["salt"]))
    )


def _hash(passphrase: str, salt: bytes) -> str:
    said = passphrase.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(said, salt=salt, **_COST).hex()


def _read_names(home: Home) -> dict[str, dict[str, str]]:
    try:
        found: dict[str, dict[str, str]] = json.loads((home.root / _FILE).read_bytes())
    except FileNotFoundError:
        return {}
    return found
