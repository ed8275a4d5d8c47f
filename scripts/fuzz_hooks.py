"""What Schemathesis is told beyond the documents."""

import re
import uuid

import schemathesis

IDEM_KEY = "idem-key"


@schemathesis.hook
def map_headers(context, headers):
    """A new `idem-key` for each request: once more it gives the first answer, also of a record deleted meanwhile."""
    key = (headers or {}).get(IDEM_KEY)
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        return {**headers, IDEM_KEY: str(uuid.uuid4())}
    return headers
