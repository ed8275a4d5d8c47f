"""Receives webhooks: verifies each request, responds immediately, ignores repeated events, and prints
the others. Copy and adapt it.

    pip install standardwebhooks
    WEBHOOK_SECRET=whsec_… PORT=8080 python3 receiver.py

Requires Python 3.9 or later. Run it behind a proxy that serves the https URL of the endpoint.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread

from standardwebhooks import Webhook, WebhookVerificationError

WEBHOOK = Webhook(os.environ["WEBHOOK_SECRET"])
# The IDs of received events. Store the events in your database instead, by ID, so that a crash
# loses none.
RECEIVED = set()
EVENTS = Queue()


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # Seconds to wait for a slow sender.

    def do_POST(self):
        """A 2xx status tells the server not to send the event again."""
        self.send_response(self.receive())
        self.end_headers()

    def receive(self):
        length = self.headers.get("Content-Length", "")
        # A request has fewer than 1,000 bytes.
        if not length.isdecimal() or int(length) > 10_000:
            return 400
        try:
            # The signature covers the raw body. Also rejects a timestamp that
            # differs from the clock by more than five minutes.
            event = WEBHOOK.verify(self.rfile.read(int(length)), dict(self.headers))
        except (WebhookVerificationError, ValueError):  # ValueError: malformed headers or body.
            return 400
        event_id = self.headers["webhook-id"]
        if event_id not in RECEIVED:
            RECEIVED.add(event_id)
            EVENTS.put({"id": event_id, **event})
        return 204

    def log_message(self, *_):
        """Prints events only."""


def handle_events():
    """Replace this, for example by reading the changed records."""
    while True:
        print(json.dumps(EVENTS.get()), flush=True)


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
Thread(target=handle_events, daemon=True).start()
print(f"Listening on port {server.server_port}", flush=True)
server.serve_forever()
