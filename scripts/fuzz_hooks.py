"""Hooks for Schemathesis."""

import re
import uuid

import schemathesis

IDEM_KEY = "idem-key"


@schemathesis.hook
def map_headers(context, headers):
    """Sends a new `idem-key` with each request: a used one would return the first response, even after a deletion."""
    key = (headers or {}).get(IDEM_KEY)
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        return {**headers, IDEM_KEY: str(uuid.uuid4())}
    return headers
