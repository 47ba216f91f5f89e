"""What both faces do alike, without a connection: which request a call is, when it is repeated, and what its answer means."""

from __future__ import annotations

import email.utils
import json
import random
import re
import time
import uuid
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Generator, Mapping, NamedTuple, Union
from urllib.parse import quote

import httpx

from ._version import version
from .errors import AMSConnectionError, AMSError

LONGEST_BACKOFF = 30.0
LONGEST_WAIT = 120.0
LARGEST_PAGE = 1000
SLOWEST = 65536  #: How many bytes a second of a file must arrive: what is slower for long, the service ends.


@dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: str
    timeout: float
    retries: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))


@dataclass(frozen=True)
class Request:
    """A call, with the headers that all its attempts have."""

    method: str
    path: str
    query: Mapping[str, object] | None = None
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    #: The body is read by the caller, as it comes.
    stream: bool = False
    #: In place of body: bytes as they are, or the parts of a form, with how many bytes they have.
    content: bytes | None = None
    files: list[Any] | None = None
    size: int = 0

    def seconds(self, settings: Settings) -> float:
        """How long an attempt may take."""
        return settings.timeout + self.size / SLOWEST

    def sent(self, settings: Settings) -> dict[str, Any]:
        """The arguments of httpx's build_request."""
        # Packing and unpacking takes longer than sending where the network is as fast as between machines of one place.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", **self.headers,
                   "Authorization": f"Bearer {settings.api_key}", "User-Agent": f"ams-python/{version}"}
        content = self.content
        if self.body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(self.body, default=text).encode()
        return {"method": self.method, "url": settings.base_url + self.path, "params": query(self.query), "headers": headers,
                "content": content, "files": self.files, "timeout": settings.timeout}


def write(method: str, path: str, body: object, key: str | None = None, **others: Any) -> Request:
    """A call that changes something: what would do it twice when repeated has an Idempotency-Key, one for all attempts."""
    headers: dict[str, str] = dict(others.pop("headers", None) or {})
    if method == "POST" or method != "GET" and path.endswith("/bulk"):
        headers["Idempotency-Key"] = key or str(uuid.uuid4())
    return Request(method, path, body=body, headers=headers, **others)


def match(version: int | str | None) -> dict[str, str]:
    if version is None:
        return {}
    return {"If-Match": f'"{version}"' if isinstance(version, int) else version}


def query(given: Mapping[str, object] | None) -> dict[str, str]:
    """A query as the API reads it: several values with commas, and null for none. A text is sent as it is, so that commas in it
    separate values; a text within a list is one value."""
    return {name: ",".join(map(_listed, value)) if isinstance(value, (list, tuple, set)) else _value(value)
            for name, value in (given or {}).items()}


def _listed(value: object) -> str:
    """A value within a list: its commas do not separate values, and "null" is the word."""
    if not isinstance(value, str):
        return _value(value)
    return r"\null" if value == "null" else re.sub(r'([\\,"])', r"\\\1", value)


def _value(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return text(value) if isinstance(value, date) else str(value)


def text(value: object) -> str:
    if isinstance(value, datetime) and value.tzinfo is None:
        raise TypeError(f"{value!r} has no time zone")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


class Answer(NamedTuple):
    """An answer that has been read; of a stream that succeeded, only its beginning."""

    status: int
    headers: httpx.Headers
    content: bytes
    open: Any = None

    def json(self) -> Any:
        if not self.content:
            return None
        return json.loads(self.content) if "json" in self.headers.get("Content-Type", "") else self.content.decode()


class Pause(NamedTuple):
    seconds: float


#: What a face does next (an attempt, or a pause), and what it gives back: an answer, what was wrong, or nothing after a pause.
Step = Union[Request, Pause]
Outcome = Union[Answer, AMSConnectionError, None]


def attempts(request: Request, settings: Settings) -> Generator[Step, Outcome, Answer]:
    """The steps of a call. Its result is an answer that is a success; anything else is raised."""
    unknown = False  # whether an attempt may have done what it was to do
    for number in range(settings.retries + 1):
        outcome = yield request
        status = outcome.status if isinstance(outcome, Answer) else 0
        if isinstance(outcome, Answer) and (200 <= status < 300 or unknown and request.method == "DELETE" and status == 404):
            return outcome if status != 404 else outcome._replace(status=204, content=b"")
        unknown = unknown or status != 429
        failed = outcome if isinstance(outcome, AMSConnectionError) else error(outcome)
        wait = pause(number, outcome.headers if isinstance(outcome, Answer) else None)
        again = status in (0, 429, 503) or failed.code == "scan_pending"  # a file is still looked through for malware
        if not again or number == settings.retries or wait > LONGEST_WAIT:
            raise failed
        yield Pause(wait)
    raise ValueError("retries is less than 0")


def error(outcome: Outcome) -> AMSError:
    assert isinstance(outcome, Answer)
    body: Any = None
    try:
        body = json.loads(outcome.content)
    except ValueError:
        pass  # not from the API: a proxy in between
    given = body if isinstance(body, dict) else {}
    return AMSError(outcome.status, {"request_id": outcome.headers.get("X-Request-Id"), "error": f"HTTP {outcome.status}",
                                     "code": f"http_{outcome.status}", **given})


def unreachable(request: Request, cause: httpx.HTTPError, settings: Settings) -> AMSConnectionError:
    if isinstance(cause, httpx.TimeoutException):
        return late(settings)
    return AMSConnectionError("connection_failed", f"{request.method} {settings.base_url}{request.path}: {cause}")


def late(settings: Settings) -> AMSConnectionError:
    return AMSConnectionError("deadline_exceeded", f"No answer within {settings.timeout:g} s.")


def broken(cause: httpx.HTTPError, settings: Settings) -> AMSConnectionError:
    if isinstance(cause, httpx.TimeoutException):
        return AMSConnectionError("deadline_exceeded", f"The stream brought nothing for {settings.timeout:g} s.")
    return AMSConnectionError("stream_broken", f"The stream broke off before its end: {cause}")


def pause(number: int, headers: httpx.Headers | None) -> float:
    """Seconds before the next attempt: as long as the answer says, and a little more, so that not all come back at once."""
    told: float | None = None
    if headers is not None:
        told = _retry_after(headers)
        if told is None:
            told = _until_reset(headers)
    least = told if told is not None else min(0.5 * 2.0**number, LONGEST_BACKOFF)
    return least + random.uniform(0, max(least / 10, 0.25))


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds, or the date that a proxy may give."""
    given = headers.get("Retry-After", "")
    if given.isdigit():
        return float(given)
    moment = _moment(given)
    return None if moment is None else max(moment - _server_time(headers), 0)


def _until_reset(headers: httpx.Headers) -> float | None:
    given = headers.get("X-RateLimit-Reset", "")
    return max(float(given) - _server_time(headers), 0) if given.isdigit() else None


def _server_time(headers: httpx.Headers) -> float:
    """The clock of the server, because that of this machine may be wrong."""
    moment = _moment(headers.get("Date", ""))
    return time.time() if moment is None else moment


def _moment(given: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(given).timestamp()
    except (TypeError, ValueError):
        return None


class Pages:
    """The pages of a list, by cursor, or by number where it has none: request is the next one, until it is None."""

    def __init__(self, path: str, filters: Mapping[str, object] | None) -> None:
        self._path = path
        self._filters = dict(filters or {})
        self._size = LARGEST_PAGE
        self.request: Request | None = self._next()

    def _next(self) -> Request:
        return Request("GET", self._path, {"per_page": self._size, **self._filters})

    def take(self, page: Any) -> list[Any]:
        pagination = page["pagination"]
        cursor, number = pagination.get("next_cursor"), pagination["page"]
        self._filters.pop("page", None)
        self.request = None
        if cursor:
            self._filters["cursor"] = cursor
            self.request = self._next()
        elif number and number < pagination["total_pages"]:
            self._filters["page"] = number + 1
            self.request = self._next()
        records: list[Any] = page["data"]
        return records

    def refused(self, error: AMSError) -> None:
        """Records of this collection are large: smaller pages, unless the caller chose their size."""
        if error.code != "page_too_large" or "per_page" in self._filters or self._size == 1:
            raise error
        self._size = -(-self._size // 2)
        self.request = self._next()


class Lines:
    """The records in the parts of a stream, whole lines at a time. A stream that ends inside a line is an error: it never looks whole."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, part: bytes) -> list[Any]:
        lines, end, rest = part.rpartition(b"\n")
        if not end:
            self._rest += part
            return []
        whole, self._rest = self._rest + lines, rest
        # One call of the decoder for all lines is a third faster than one for each.
        records: list[Any] = json.loads(b"[" + whole.replace(b"\n", b",") + b"]")
        return records

    def end(self) -> None:
        if self._rest:
            raise AMSConnectionError("stream_broken", "The stream ended inside a line.")


def stream(path: str, filters: Mapping[str, object] | None) -> Request:
    return Request("GET", path, filters, headers={"Accept": "application/x-ndjson"}, stream=True)


class Paths:
    """The requests of a collection."""

    def __init__(self, path: str) -> None:
        self.path = path

    def one(self, id: str) -> str:
        return f"{self.path}/{quote(id, safe='')}"

    def below(self, id: str, name: str) -> str:
        return f"{self.one(id)}/{name}"

    def external(self, id: str) -> str:
        return f"{self.path}/by-external-id/{quote(id, safe='')}"

    def bulk(self, method: str, rows: Any, key: str | None, **options: object) -> Request:
        given = {name: value for name, value in options.items() if value is not None}
        return write(method, f"{self.path}/bulk", {"data": list(rows)}, key, query=given)
