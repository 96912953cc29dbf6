"""Quire from Python: versioned workbooks over HTTP, with nothing but the standard library.

Copy this file beside your program. Python 3.9 and newer; docs/python.md shows what it does.
"""

import datetime
import decimal
import http.client
import json
import random
import time
import urllib.parse
import urllib.request
import uuid

__all__ = ["Problem", "Quire", "Rejected", "Slice", "Workbook"]

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
        return self.status in (0, 429, 502, 503, 504) or self.code == "internal"


class Rejected(Problem):
    """An operation that had to count was rejected; `results` says of each what became of it."""

    def __init__(self, answer):
        self.results = answer["results"]
        error = next(r["error"] for r in self.results if r["status"] == "rejected")
        super().__init__(error["code"], 409, error["message"], error.get("hint"), answer)


class Slice:
    """Cells that were read: `rows`, and the position they were read at as `ref`."""

    def __init__(self, answer):
        self.rows, self.sheet, self.range = answer["rows"], answer["sheet"], answer["range"]
        self.ref = "{branch}@{seq}".format(**answer["ref"])

    def to_rows(self):
        return self.rows

    def to_dicts(self):
        return [dict(zip(self.rows[0], row)) for row in self.rows[1:]]

    def to_frame(self):
        import pandas

        return pandas.DataFrame(self.rows[1:], columns=self.rows[0])


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, and sends the key to nobody but the service that it is of."""

    def redirect_request(self, request, *answer):
        following = super().redirect_request(request, *answer)
        if following and _origin(following.full_url) != _origin(request.full_url):
            following.remove_header("Authorization")
        return following


def _origin(address):
    parts = urllib.parse.urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


_opener = urllib.request.build_opener(_Redirects)


class Quire:
    """A service and the credential by which it is asked."""

    def __init__(self, url, key=None, retries=5, timeout=60):
        self.url = url.rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise ValueError(f"{url} is no address: it begins with http:// or https://.")
        self.key, self.retries, self.timeout = key and key.strip(), retries, timeout

    @classmethod
    def register(cls, url, name=None, **options):
        """Registers an anonymous agent: no human is needed. Keep its `key`: it is shown once."""
        body = {"type": "anonymous", **({"client": {"name": name}} if name else {})}
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
            made = self.call("POST", "/v1/workbooks", {"name": name}, file.read(), kind)
        return self.open(made["id"])

    def open(self, id):
        return Workbook(self, id)

    def workbooks(self):
        return self.pages("/v1/workbooks", "workbooks")

    def call(self, method, path, query=None, body=None, kind="application/json"):
        """Any call; the parsed answer. It waits while the answer is being computed."""
        while True:
            status, data = self.send(method, path, query, body, kind)
            try:
                answer = json.loads(data or b"null")
            except ValueError as error:
                hint = "Check the address, and whether a proxy stands in between."
                raise Problem("not_the_service", status, "The answer is no JSON.", hint) from error
            if status != 202 or method != "GET":
                return answer
            time.sleep(max(answer.get("retry_after", 1), 0.1))

    def send(self, method, path, query=None, body=None, kind="application/json", accept=None):
        """The status and the bytes of an answer. What may pass is tried again, under one key."""
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        address = self.url + path + "?" * bool(asked) + urllib.parse.urlencode(asked)
        data = body if isinstance(body, (bytes, type(None))) else _encoded(body)
        headers = {"Accept": accept or "application/json", "Content-Type": kind}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        for attempt in range(self.retries + 1):
            try:
                return self._try(urllib.request.Request(address, data, headers, method=method))
            except Problem as problem:
                own = problem.code == "idempotency_in_progress" and attempt > 0
                held = problem.retry_after or 0
                late = held > _LONGEST_HELD_SECONDS or attempt == self.retries
                if late or not (problem.retryable or own):
                    raise
                time.sleep(held or random.random() * min(0.25 * 2**attempt, 10))

    def _try(self, request):
        try:
            with _opener.open(request, timeout=self.timeout) as answer:
                data, kind = answer.read(), answer.headers.get("Content-Type", "")
            if kind.startswith("text/html"):
                raise _problem_of(self.url, answer)
            return answer.status, data
        except urllib.error.HTTPError as error:
            raise _problem_of(self.url, error) from None
        except (OSError, EOFError, http.client.HTTPException) as error:
            detail = f"Nothing answers at {self.url} ({getattr(error, 'reason', error)})."
            raise Problem("unreachable", 0, detail, "Check the address and the network.") from error

    def pages(self, path, member, **query):
        """The items of a list, page by page: by its next link, cursor, number or offset."""
        place = {}
        while place is not None:
            page = self.call("GET", path, {**query, **place})
            yield from page[member]
            following, end = page.get("next"), page.get("offset", 0) + len(page[member])
            if str(following).startswith("/"):
                path, query, place = following, {}, {}
            elif following is not None:
                place = {"cursor" if isinstance(following, str) else "after": following}
            else:
                more = "next" not in page and page[member] and end < page.get("total", 0)
                place = {"offset": end} if more else None


def _problem_of(url, answer):
    after = answer.headers.get("Retry-After", "")
    held = float(after) if after.isdigit() else None
    try:
        body = json.loads(answer.read())
        code = body.get("code") or body["error"]
    except (ValueError, KeyError, AttributeError, OSError, http.client.HTTPException):
        kind = answer.headers.get("Content-Type", "no type")
        detail = f"{url} answered {answer.code} with {kind}, as no Quire service does."
        hint = "Check the address, and whether a proxy stands in between."
        return Problem("not_the_service", answer.code, detail, hint, retry_after=held)
    detail = body.get("detail") or body.get("message") or code
    hint = body.get("hint") or (body.get("data") or {}).get("hint")
    return Problem(code, answer.code, detail, hint, body, held)


def _encoded(body):
    try:
        return json.dumps(body, default=_plain, allow_nan=False).encode()
    except ValueError as error:
        raise Problem("bad_value", 400, "No cell holds NaN or Infinity.", "Send None.") from error


def _plain(value):
    if isinstance(value, decimal.Decimal):
        return float(value)
    if hasattr(value, "dtype"):
        # Nanoseconds of numpy would come as whole numbers.
        return value.astype(str(value.dtype).replace("[ns]", "[us]")).tolist()
    hint = "Send a number, text, bool or None; set takes dates, submit value.isoformat()."
    raise Problem("bad_value", 400, f"{value!r} is no value of a cell.", hint)


def _typed(value, moments):
    # As `parse` reads them: texts stay texts. Dates and times are added to `moments`.
    value = _plain(value) if hasattr(value, "dtype") else value
    if isinstance(value, (list, tuple)):
        return [_typed(each, moments) for each in value]
    if isinstance(value, str) and value[:1] not in ("", "=", "'"):
        return f"'{value}"
    if not isinstance(value, (datetime.date, datetime.time)):
        return value
    if getattr(value, "tzinfo", None) or not getattr(value, "year", 1900) >= 1900:
        detail = f"{value!r} is no date of a sheet: they begin in 1900 and have no zone."
        raise Problem("bad_value", 400, detail, "Send value.replace(tzinfo=None).")
    moments.append(value)
    return str(value)[: 23 if isinstance(value, datetime.date) else 12]


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
        typed = _typed(input, moments := [])
        parse, input = ({"parse": True}, typed) if moments else ({}, input)
        if isinstance(typed, list):
            kind, payload = "range.set", {"range": range, "inputs": input}
        elif ":" in range:
            kind, payload = "range.fill", {"range": range, "input": input}
        else:
            kind, payload = "cells.set", {"cells": [{"a1": range, "input": input}]}
        op = {"kind": kind, "payload": {**payload, **parse}}
        answer = self.submit([op], changes=100, **options)
        if answer["results"][0]["status"] == "rejected":
            raise Rejected(answer)
        return answer

    def submit(self, ops, changes=None, **options):
        """Submits operations; `results` says of each what became of it. Each gets an id."""
        returned = {} if changes is None else {"return": {"changes": changes}}
        body = {"ops": [{"id": str(uuid.uuid4()), **op} for op in ops], **returned, **options}
        try:
            answer = self._ask("POST", self._path("/ops"), body=body)
        except Problem as problem:
            if problem.code != "nothing_applied":
                raise
            answer = {**problem.body, "status": "rejected", "lastSeq": None}
        return {**answer, "ref": f"{self.branch}@{answer.get('lastSeq') or answer.get('head')}"}

    def ops(self, after=0):
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
        return self._settled("", {"source": source, "target": self.branch, **options})

    def conflicts(self, merge):
        return self.quire.pages(self._book(f"/merges/{merge['id']}/conflicts"), "conflicts")

    def resolve(self, merge, choices):
        """`choices` are ids of conflicts with what counts: `ours`, `theirs`, `base`."""
        body = {"resolutions": [{"id": id, "choice": each} for id, each in choices.items()]}
        self._ask("POST", f"/merges/{merge['id']}/resolve", body=body)
        return self._settled(f"/{merge['id']}")

    def approve(self, merge):
        """Approves what was looked at, and applies it where the policy is met."""
        digest = {"digest": merge["digest"]} if merge.get("digest") else {}
        return self._settled(f"/{merge['id']}/approve", digest)

    def export(self, format="xlsx"):
        """The branch as the bytes of a file: json, ndjson, csv or xlsx."""
        path = self._book(self._path("/export"))
        return self.quire.send("GET", path, {"format": format}, accept="*/*")[1]

    def _settled(self, rest, body=None):
        merge = self._ask("POST" if body is not None else "GET", "/merges" + rest, body=body)
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
