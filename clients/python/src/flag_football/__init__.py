"""Client of the flag football public API. Requires Python 3.9 or later and httpx 0.28.

See /docs#python of the server for an example. The module can also be used without its package.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import random
import re
import time
import uuid
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import httpx

Record = dict[str, Any]

TOLERANCE_SECONDS = 5 * 60


class ApiError(Exception):
    """An error response. Branch on code, never on message, which can change."""

    def __init__(self, response: httpx.Response):
        try:
            body = response.json()
        except ValueError:
            body = None
        body = body if isinstance(body, dict) else {}  # A page of a proxy, for example.
        self.status: int = response.status_code
        self.code: Optional[int] = body.get("error")
        self.details: list[dict[str, str]] = body.get("details", [])
        self.trace_id: Optional[str] = body.get("traceId") or response.headers.get("X-Request-Id")
        self.retry_after = _parse_retry_after(response.headers.get("Retry-After", ""))
        self.message: str = body.get("message", f"The server responded with {self.status}.")
        super().__init__(f"{self.message} (code {self.code}, trace ID {self.trace_id})")


class ConnectionLost(Exception):
    """No complete response arrived in time. A write may have taken effect."""


class WebhookVerificationError(Exception):
    """A request that is not from the server, or too old. Respond with 400."""


class Client:
    """Sends requests, and repeats those that are safe to repeat after 429, 502, 503, 504, 40902
    and lost connections.

    Paths begin after /v1/public-api, such as "/teams". A context manager closes the connections.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        max_retries: int = 5,
        timeout: float = 30,
        sleep: Callable[[float], Any] = time.sleep,
        rand: Callable[[], float] = random.random,
    ):
        # Errors about other characters would contain the key.
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key must consist of visible ASCII characters.")
        self._http = httpx.Client(
            base_url=re.sub(r"(/v1/public-api)?/*$", "/v1/public-api", base_url, count=1),
            headers={"Authorization": f"Bearer {api_key}"},
            timeout=timeout,
        )
        self._max_retries, self._sleep, self._rand = max_retries, sleep, rand

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, *, if_none_match: Optional[Record] = None, **query: Any) -> Record:
        """Returns a record; with if_none_match, that record itself if it has not changed.

        The statistics of a game are returned with all their rows in data, and their revision.
        """
        body = self._send("GET", path, query=query, if_none_match=if_none_match)
        record: Record = body["data"]
        return body if isinstance(record, list) else record

    def pages(self, path: str, **query: Any) -> Iterator[Record]:
        """Yields the pages of a list, or of the change feed, from cursor or the beginning.

        To keep a copy with the change feed, store nextCursor together with the records of its page.
        A cursor that is older than 30 days raises ApiError 41001: start again without a cursor.
        """
        following: Optional[Record] = query
        while following is not None:
            page = self._send("GET", path, query=following)
            following = _next_query(page, following)
            # Page 1 follows only the page of 20 rows that it replaces.
            if following is None or following.get("page") != 1:
                yield page

    def rows(self, path: str, **query: Any) -> Iterator[Record]:
        """Yields the rows of a list, on all pages."""
        for page in self.pages(path, **query):
            yield from page["data"]

    def create(self, path: str, body: Record, *, idem_key: Optional[str] = None) -> Record:
        """Creates a team, player or schedule, once, even if it is repeated.

        To also repeat it after a crash, give an idem_key that names the record.
        """
        return self._send("POST", path, body=body, idem_key=idem_key or str(uuid.uuid4()))

    def update(self, path: str, body: Record, *, if_match: Optional[Record] = None) -> Record:
        """Updates a record, or creates it by external ID.

        With if_match, raises ApiError 41201 if the record is no longer this one, even if the first
        attempt was applied and its response was lost.
        """
        return self._send("PATCH", path, body=body, if_match=if_match)

    def put(self, path: str, body: Record, *, if_match: Optional[Record] = None, **query: Any) -> Record:
        """Replaces the statistics of a game. With if_match as update."""
        return self._send("PUT", path, query=query, body=body, if_match=if_match)

    def delete(self, path: str, *, if_match: Optional[Record] = None, **query: Any) -> None:
        """Deletes a record. Raises ApiError with status 404 if a repeated request finds none."""
        self._send("DELETE", path, query=query, if_match=if_match)

    def bulk_upsert(self, path: str, rows: Sequence[Record]) -> Iterator[Record]:
        """Creates or updates records by external ID, 100 per request, and yields each result.

        A row such as {"externalId": "member-1", "delete": True} deletes its record.
        """
        for start in range(0, len(rows), 100):
            body = {"rows": rows[start : start + 100]}
            yield from self._send("POST", path, body=body, is_repeatable=True)["data"]

    def post(self, path: str, body: Optional[Record] = None) -> Record:
        """Sends a request that must not be repeated, such as a new webhook endpoint."""
        return self._send("POST", path, body=body, is_repeatable=False)

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        body: Optional[Record] = None,
        idem_key: Optional[str] = None,
        if_match: Optional[Record] = None,
        if_none_match: Optional[Record] = None,
        is_repeatable: bool = True,
    ) -> Record:
        """Sends a request until it succeeds or cannot be repeated. Returns if_none_match for 304."""
        if any(part in ("", ".", "..") for part in path.split("/")[1:]):
            raise ValueError("A path must not have empty parts, or the parts . and ..")
        headers = {
            "idem-key": idem_key,
            "If-Match": if_match and f'"{if_match["revision"]}"',
            "If-None-Match": if_none_match and f'"{if_none_match["revision"]}"',
        }
        request = self._http.build_request(
            method,
            path,
            params={name: _format(value) for name, value in query.items() if value is not None},
            json=body,
            headers={name: value for name, value in headers.items() if value},
        )
        attempt = 0
        while True:
            try:
                return self._attempt(request) or {"data": if_none_match}
            except (ApiError, ConnectionLost) as error:
                if attempt == self._max_retries or not _can_retry(error, is_repeatable):
                    raise
                self._sleep(self._delay(error, attempt))
                attempt += 1

    def _attempt(self, request: httpx.Request) -> Optional[Record]:
        """Returns the body of the response, or None for 304."""
        try:
            response = self._http.send(request)
            if response.status_code == 304:
                return None
            if response.is_success:
                body: Record = response.json()
                # The revision of a list, such as the statistics of a game, is only in the header.
                etag = re.fullmatch(r'(?:W/)?"(\d+)"', response.headers.get("ETag", ""))
                if etag and isinstance(body.get("data"), list):
                    body["revision"] = int(etag[1])
                return body
        except (httpx.RequestError, ValueError) as error:
            raise ConnectionLost(f"No response to {request.method} {request.url}.") from error
        raise ApiError(response)

    def _delay(self, error: Exception, attempt: int) -> float:
        """Returns the seconds to wait: Retry-After, at most 1 hour, plus exponential backoff with
        full jitter."""
        retry_after = error.retry_after if isinstance(error, ApiError) else None
        return min(3600, retry_after or 0) + self._rand() * min(30, 0.5 * 2.0**attempt)


def _parse_retry_after(header: str) -> Optional[float]:
    """Returns the seconds of a Retry-After header, which has seconds or a date."""
    if header.isdecimal():
        return int(header)
    try:
        return max(0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _can_retry(error: Exception, is_repeatable: bool) -> bool:
    if not isinstance(error, ApiError):
        return is_repeatable
    # A request with 429 had no effect. 40902: an equal create is in progress. 502, 504: proxies.
    if error.status == 429:
        return True
    return is_repeatable and (error.code == 40902 or error.status in (502, 503, 504))


def _next_query(page: Record, query: Record) -> Optional[Record]:
    """Returns the query of the page after this one, or None after the last one. Pages have 100 rows
    unless the caller has set a limit, because each request counts for the rate limit."""
    filters = {name: value for name, value in query.items() if name != "page" and value is not None}
    # The change feed always has a cursor, for the next time.
    if page.get("hasMore") is False:
        return None
    if "nextCursor" in page:
        return {"limit": 100, **filters, "cursor": page["nextCursor"]}
    number, limit = int(query.get("page") or 1), int(filters.get("limit", 20))
    read = (number - 1) * limit + len(page["data"])
    # A list that has only pages. They shift while others write, so that one can be empty.
    if "cursor" in filters or not page["data"] or read >= page.get("total", 0):
        return None
    if query.get("page") is None and "limit" not in filters:
        return {**filters, "page": 1, "limit": 100}
    return {**filters, "page": number + 1, "limit": limit}


def _format(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (str, int)) else ",".join(value)


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    now: Callable[[], float] = time.time,
) -> Record:
    """Verifies a webhook as Standard Webhooks describes, and returns its event with its ID.

    body is the body as received: the signature covers its bytes. Several secrets are accepted, for
    a rotation. now returns the time in seconds, for tests. Raises WebhookVerificationError.
    Deduplicate by ID: an event can arrive repeatedly.
    """
    lower_case = {name.lower(): value for name, value in headers.items()}
    values = [lower_case.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")]
    event_id, timestamp, signatures = values
    if not (event_id and timestamp.isdecimal() and signatures):
        raise WebhookVerificationError("A webhook header is missing or malformed.")
    if abs(int(now()) - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("The timestamp is more than 5 minutes off.")
    signed = f"{event_id}.{timestamp}.".encode() + body
    for each in [secret] if isinstance(secret, str) else secret:
        digest = hmac.new(_decode_secret(each), signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        for signature in signatures.split():
            if hmac.compare_digest(signature.encode(), expected):
                return {"id": event_id, **json.loads(body)}
    raise WebhookVerificationError("No signature matches. Check the secret and the raw body.")


def _decode_secret(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("secret must be the secret of a webhook endpoint, such as whsec_….")
    return key
