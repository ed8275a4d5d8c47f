"""Tests of what needs no API server: python3 -m unittest discover, with the package installed."""

import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from flag_football import ApiError, Client, ConnectionLost, WebhookVerificationError, verify_webhook


class Handler(BaseHTTPRequestHandler):
    """Sends the next of the responses, and records the target of each request."""

    planned: list[tuple[int, dict[str, str], str]] = []
    targets: list[str] = []

    def do_GET(self) -> None:
        status, headers, body = self.planned.pop(0)
        self.targets.append(self.path)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(self.server.server_close)
        threading.Thread(target=self.server.serve_forever, args=[0.01]).start()
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Handler.targets = []
        self.delays: list[float] = []

    def get(self, *responses: tuple[int, dict[str, str], str], base_url: str = "", **query: Any) -> Any:
        Handler.planned = list(responses)
        with Client("key", base_url or self.url, sleep=self.delays.append, rand=lambda: 0.0) as client:
            return client.get("/teams/1", **query)

    def test_adds_the_path_of_the_api_to_the_base_url_once(self) -> None:
        for suffix in ("", "/", "/v1/public-api", "/v1/public-api//"):
            self.get((200, {}, '{"data": {}}'), base_url=self.url + suffix)
        self.assertEqual(Handler.targets, ["/v1/public-api/teams/1"] * 4)

    def test_formats_the_values_of_a_query_and_omits_none(self) -> None:
        self.get((200, {}, '{"data": {}}'), isArchived=False, kinds=["team", "player"], limit=5, cursor=None)
        self.assertEqual(Handler.targets, ["/v1/public-api/teams/1?isArchived=false&kinds=team%2Cplayer&limit=5"])

    def test_raises_an_api_error_for_a_page_of_a_proxy(self) -> None:
        with self.assertRaises(ApiError) as raised:
            self.get((403, {"X-Request-Id": "trace-1"}, "<html></html>"))
        error = raised.exception
        self.assertEqual((error.status, error.code, error.details, error.trace_id), (403, None, [], "trace-1"))

    def test_repeats_a_response_that_is_no_json_and_an_unknown_retry_after(self) -> None:
        record = self.get((200, {}, "<html>"), (503, {"Retry-After": "soon"}, ""), (200, {}, '{"data": {"_id": "1"}}'))
        self.assertEqual((record, self.delays), ({"_id": "1"}, [0, 0]))

    def test_raises_connection_lost_after_the_last_attempt(self) -> None:
        with self.assertRaises(ConnectionLost):
            self.get(*[(200, {}, "<html>")] * 6)
        self.assertEqual(len(self.delays), 5)


class WebhookTest(unittest.TestCase):
    # Signed by openssl, as the guide shows.
    body = b'{"type": "ping", "data": {}}'
    headers = {
        "webhook-id": "event-1",
        "Webhook-Timestamp": "1809165600",
        "WEBHOOK-SIGNATURE": "v1,tJgjTQ7+VPOgC2KcPq/xuC9U0F5Sn88cEzA+tVpLyDw=",
    }
    secret = "whsec_ZXhhbXBsZSBzZWNyZXQgb2YgYSB3ZWJob29rIHRlc3Q="

    def test_verifies_a_signature_with_headers_in_any_case(self) -> None:
        event = verify_webhook(self.body, self.headers, self.secret, now=lambda: 1809165600)
        self.assertEqual(event, {"id": "event-1", "type": "ping", "data": {}})

    def test_rejects_it_by_the_present_time(self) -> None:
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(self.body, self.headers, self.secret)


if __name__ == "__main__":
    unittest.main()
