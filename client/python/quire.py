"""Quire from Python: versioned workbooks over HTTP, with nothing but the standard library.

    from quire import Quire

    quire = Quire.register("http://127.0.0.1:8080")
    book = quire.create(sheets=[{"name": "Plan", "rows": [["Tea", 2.5, "=B1*2"]]}])
    book.set("Plan!B1", 3)
    print(book.read("Plan!A1:C1").to_rows())

Copy this file beside your program. Python 3.9 and newer.
"""

import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

__all__ = ["Problem", "Quire", "Rejected", "Slice", "Workbook"]

_REPEATED = {0, 429, 502, 503, 504}
_LONGEST_HELD_SECONDS = 120
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class Problem(Exception):
    """Why a call failed: `code`, `status`, `detail`, `hint`, and the answer as `body`."""

    def __init__(self, code, status, detail, hint=None, body=None, retry_after=None):
        super().__init__(f"{detail} {hint}" if hint else detail)
        self.code, self.status, self.detail, self.hint = code, status, detail, hint
        self.body, self.retry_after = body or {}, retry_after

    @property
    def retryable(self):
        return self.status in _REPEATED or (self.status == 500 and self.code == "internal")


class Rejected(Problem):
    """An operation that had to count was rejected; `results` says of each what became of it."""

    def __init__(self, answer):
        self.results = answer["results"]
        error = next((r["error"] for r in self.results if r["status"] == "rejected"), {})
        detail = error.get("message", "The operations were rejected.")
        code = error.get("code", "nothing_applied")
        super().__init__(code, 409, detail, error.get("hint"), answer)


class Slice:
    """Cells that were read: `rows`, and the position they were read at as `ref`."""

    def __init__(self, answer):
        self.rows, self.sheet, self.range = answer["rows"], answer["sheet"], answer["range"]
        self.ref = "{branch}@{seq}".format(**answer["ref"])

    def to_rows(self):
        return self.rows

    def to_dicts(self):
        """One dict a row, by the names in the first one."""
        head, *rest = self.rows
        return [dict(zip(head, row)) for row in rest]

    def to_frame(self):
        """A DataFrame, where pandas is installed."""
        import pandas

        head, *rest = self.rows
        return pandas.DataFrame(rest, columns=head)


class Quire:
    """A service and the credential by which it is asked."""

    def __init__(self, url, key=None, retries=5, timeout=60):
        self.url = url.rstrip("/")
        self.key, self.retries, self.timeout = key, retries, timeout

    @classmethod
    def register(cls, url, name=None, **options):
        """Registers an anonymous agent: no human is needed. Keep its `key`: it is shown once."""
        body = {"type": "anonymous"}
        if name:
            body["client"] = {"name": name}
        quire = cls(url, **options)
        quire.key = quire.call("POST", "/agent/auth", body=body)["data"]["credential"]
        return quire

    def create(self, **workbook):
        """A workbook: `name=`, `sheets=[{"name", "rows"}]`."""
        return Workbook(self, self.call("POST", "/v1/workbooks", body=workbook)["id"])

    def import_file(self, path, name=None):
        """A workbook from an .xlsx or .csv file."""
        kind = "text/csv" if path.lower().endswith(".csv") else _XLSX
        with open(path, "rb") as file:
            made = self.call("POST", "/v1/workbooks", {"name": name}, file.read(), kind=kind)
        return Workbook(self, made["id"])

    def open(self, id):
        """A workbook that is there, by its id. It is not asked for yet."""
        return Workbook(self, id)

    def workbooks(self):
        return self.pages("/v1/workbooks", "workbooks")

    def call(self, method, path, query=None, body=None, kind="application/json"):
        """Any call; the parsed answer. It waits while the answer is being computed."""
        while True:
            status, data = self.send(method, path, query, body, kind)
            answer = json.loads(data) if data else None
            if status != 202 or method != "GET":
                return answer
            time.sleep(max(answer.get("retry_after", 1), 0.1))

    def send(self, method, path, query=None, body=None, kind="application/json", accept=None):
        """The status and the bytes of an answer. What may pass is tried again, under one key."""
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        address = self.url + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        headers = {"Accept": accept or "application/json"}
        if data is not None:
            headers["Content-Type"] = kind
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        for attempt in range(self.retries + 1):
            request = urllib.request.Request(address, data, headers, method=method)
            try:
                return self._try(request)
            except Problem as problem:
                own = problem.code == "idempotency_in_progress" and attempt > 0
                held = problem.retry_after
                late = held is not None and held > _LONGEST_HELD_SECONDS
                if attempt == self.retries or late or not (problem.retryable or own):
                    raise
                time.sleep(random.random() * min(0.25 * 2**attempt, 10) if held is None else held)

    def _try(self, request):
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                data = answer.read()
                kind = answer.headers.get("Content-Type", "")
                if kind.startswith("text/html"):
                    raise _strange(self.url, answer.status, kind)
                return answer.status, data
        except urllib.error.HTTPError as error:
            raise _problem_of(self.url, error) from None
        except (OSError, EOFError) as error:
            reason = getattr(error, "reason", error)
            detail = f"Nothing answers at {self.url} ({reason})."
            hint = "Check the address, and that the service runs there."
            raise Problem("unreachable", 0, detail, hint) from error

    def pages(self, path, member, **query):
        """The items of a list, page by page: by its next link, cursor, number or offset."""
        place = {}
        while place is not None:
            page = self.call("GET", path, {**query, **place})
            items = page[member]
            yield from items
            path, query, place = _next(path, query, page, len(items))


def _next(path, query, page, count):
    following = page.get("next")
    if isinstance(following, str):
        if following.startswith("/"):
            return following, {}, {}
        return path, query, {"cursor": following}
    if isinstance(following, int):
        return path, query, {"after": following}
    end = page.get("offset", 0) + count
    more = "next" not in page and 0 < count and end < page.get("total", 0)
    return path, query, ({"offset": end} if more else None)


def _problem_of(url, error):
    data = error.read()
    retry_after = error.headers.get("Retry-After") or ""
    held = float(retry_after) if retry_after.isdigit() else None
    try:
        body = json.loads(data)
        code = body.get("code") or body["error"]
    except (ValueError, KeyError, AttributeError):
        return _strange(url, error.code, error.headers.get("Content-Type", "no type"), held)
    detail = body.get("detail") or body.get("message") or code
    hint = body.get("hint") or (body.get("data") or {}).get("hint")
    return Problem(code, error.code, detail, hint, body, held)


def _strange(url, status, kind, retry_after=None):
    detail = f"{url} answered {status} with {kind}, as no Quire service does."
    hint = "Check the address, and whether a proxy stands in between."
    return Problem("not_the_service", status, detail, hint, retry_after=retry_after)


class Workbook:
    """A workbook, seen at one of its branches."""

    def __init__(self, quire, id, branch="main"):
        self.quire, self.id, self.branch = quire, id, branch

    def on(self, branch):
        return Workbook(self.quire, self.id, branch)

    def read(self, range, ref=None, lens=None):
        """A range, such as `Plan!A1:C3`, as a Slice."""
        query = {"ref": ref or self.branch, "range": range, "lens": lens}
        return Slice(self._ask("GET", "/slice", query))

    def set(self, range, input, **options):
        """Writes one input, or rows of them; the answer says what that brought about."""
        if isinstance(input, list):
            kind, payload = "range.set", {"range": range, "inputs": input}
        elif ":" in range:
            kind, payload = "range.fill", {"range": range, "input": input}
        else:
            kind, payload = "cells.set", {"cells": [{"a1": range, "input": input}]}
        answer = self.submit([{"kind": kind, "payload": payload}], changes=100, **options)
        if answer["results"][0]["status"] == "rejected":
            raise Rejected(answer)
        return answer

    def submit(self, ops, changes=None, **options):
        """Submits operations; `results` says of each what became of it. Each gets an id."""
        body = {"ops": [{"id": str(uuid.uuid4()), **op} for op in ops], **options}
        if changes is not None:
            body["return"] = {"changes": changes}
        try:
            answer = self._ask("POST", self._path("/ops"), body=body)
        except Problem as problem:
            if problem.code != "nothing_applied":
                raise
            answer = {**problem.body, "status": "rejected", "lastSeq": None}
        return {**answer, "ref": f"{self.branch}@{answer.get('lastSeq') or answer.get('head')}"}

    def ops(self, after=0):
        """The journal, oldest first."""
        return self.quire.pages(self._book(self._path("/ops")), "ops", after=after)

    def wait(self, after, seconds=0.5):
        """Operations as they come, for ever: the journal is asked again and again."""
        while True:
            for op in self.ops(after):
                after = op["seq"]
                yield op
            time.sleep(seconds)

    def fork(self, name, source=None):
        self._ask("POST", "/branches", body={"name": name, "from": source or self.branch})
        return self.on(name)

    def diff(self, source, to=None, values=False):
        """What leads from one position to another; `cells`, `structure` and others are lists."""
        query = {"from": source, "to": to or self.branch, "values": "true" if values else None}
        return self._ask("GET", "/diff", query)

    def merge(self, source, **options):
        """Proposes to merge a branch into this one. Nothing is written before `approve`."""
        body = {"source": source, "target": self.branch, **options}
        return self._settled(self._ask("POST", "/merges", body=body))

    def conflicts(self, merge):
        return self.quire.pages(self._book(f"/merges/{merge['id']}/conflicts"), "conflicts")

    def resolve(self, merge, choices):
        """`choices` are ids of conflicts with what counts: `ours`, `theirs`, `base`."""
        resolutions = [{"id": id, "choice": choice} for id, choice in choices.items()]
        self._ask("POST", f"/merges/{merge['id']}/resolve", body={"resolutions": resolutions})
        return self._settled(self._ask("GET", f"/merges/{merge['id']}"))

    def approve(self, merge):
        """Approves what was looked at, and applies it where the policy is met."""
        body = {"digest": merge["digest"]} if merge.get("digest") else {}
        return self._settled(self._ask("POST", f"/merges/{merge['id']}/approve", body=body))

    def export(self, format="xlsx"):
        """The branch as the bytes of a file: json, ndjson, csv or xlsx."""
        path = self._book(self._path("/export"))
        return self.quire.send("GET", path, {"format": format}, accept="*/*")[1]

    def _settled(self, merge):
        while "retry_after" in merge:
            time.sleep(max(merge["retry_after"], 0.1))
            merge = self._ask("GET", f"/merges/{merge['id']}")
        return merge

    def _path(self, rest):
        return f"/branches/{urllib.parse.quote(self.branch, safe='')}{rest}"

    def _book(self, rest):
        return f"/v1/workbooks/{self.id}{rest}"

    def _ask(self, method, rest, query=None, body=None):
        return self.quire.call(method, self._book(rest), query, body)
