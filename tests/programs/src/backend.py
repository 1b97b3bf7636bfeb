# SPDX-License-Identifier: BSD-2-Clause
"""A small HTTP/1.1 backend on PORT for the proxies; /count tells how often it was asked before."""
import http.server
import sys

BODY = b"".join(b"%d\n" % n for n in range(2000))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self):
        body = BODY
        if self.path == "/count":
            body = b"%d\n" % Handler.asked
        else:
            Handler.asked += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
