# SPDX-License-Identifier: MIT
"""A headless Chromium over its debugging pipe, by the standard library alone."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find():
    """The browser's path, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. Events are kept: console messages, exceptions, requests."""

    def __init__(self, program, limit=20):
        self.limit = limit
        self.profile = tempfile.TemporaryDirectory(
            prefix="am-browser-", ignore_cleanup_errors=True)
        to_child, self.writer = os.pipe()
        self.reader, from_child = os.pipe()
        # The browser reads commands on descriptor 3 and writes answers on 4, whatever our numbers.
        script = f'exec "$@" 3<&{to_child} 4>&{from_child}'
        self.process = subprocess.Popen(
            ["sh", "-c", script, "sh", program, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-extensions", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_child, from_child), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer = b""
        self.last = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.reader], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.reader, 1 << 20)
            if not data:
                raise EOFError("the browser has gone")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.limit
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def show(self, url, width, height, dark, media=""):
        """Loads the page; returns its troubles and the addresses it asked for."""
        self.events = []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + self.limit
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive(deadline))
        return self.troubles(), self.requests()

    def troubles(self):
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(e["params"])[:400] for e in self.events if e.get("method") in kinds]

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:400])
        return result["result"].get("value")

    def pdf(self):
        """The page as it is printed on A4."""
        data = self.call("Page.printToPDF", preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)["data"]
        return base64.b64decode(data)

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(self.limit)
        except (OSError, EOFError, TimeoutError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.reader)
        os.close(self.writer)
        self.profile.cleanup()
