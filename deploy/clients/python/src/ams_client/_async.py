"""The face for programs that do other things while they wait."""

from __future__ import annotations

import asyncio
import contextlib
import time
from types import TracebackType
from typing import Any, AsyncGenerator, AsyncIterator, Callable, Generator, Generic, Literal, Mapping, Sequence, TypeVar, cast

import httpx

from . import _core
from .errors import AMSError

R = TypeVar("R")  # a record
C = TypeVar("C")  # what creates one
P = TypeVar("P")  # a patch
F = TypeVar("F", bound=Mapping[str, Any])  # the filters of a list
L = TypeVar("L")  # a page
BC = TypeVar("BC")  # a row of each bulk call, and their answer
BP = TypeVar("BP")
BK = TypeVar("BK")
BR = TypeVar("BR")
E = TypeVar("E")  # a change of a record
Result = TypeVar("Result")
T = TypeVar("T", bound="AsyncTransport")


class AsyncTransport:
    """Calls the API: waits on 429 and 503, repeats, and raises an AMSError for what is no success."""

    def __init__(self, base_url: str, api_key: str, *, timeout: float = 60, retries: int = 4) -> None:
        """base_url is what stands before /v1; timeout is in seconds, for one attempt, or of a stream for each part of it."""
        self._settings = _core.Settings(base_url, api_key, timeout, retries)
        self._http = httpx.AsyncClient()

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self: T) -> T:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def request(self, method: str, path: str, *, query: Mapping[str, object] | None = None, body: object = None,
                headers: Mapping[str, str] | None = None, idempotency_key: str | None = None) -> Any:
        """Calls any path of the API, for what has no method of its own, and gives the JSON of the answer, or its text if it is none."""
        return (await self._call(_core.write(method, path, body, idempotency_key, query=query, headers=headers))).json()

    async def _call(self, request: _core.Request) -> _core.Answer:
        return await self._run(_core.attempts(request, self._settings))

    async def _run(self, steps: Generator[_core.Step, _core.Outcome, Result]) -> Result:
        outcome: _core.Outcome = None
        try:
            while True:
                step = steps.send(outcome)
                if isinstance(step, _core.Pause):
                    await asyncio.sleep(step.seconds)
                    outcome = None
                else:
                    outcome = await self._attempt(step)
        except StopIteration as end:
            return cast(Result, end.value)

    async def _attempt(self, request: _core.Request) -> _core.Outcome:
        until = time.monotonic() + request.seconds(self._settings)
        try:
            response = await self._http.send(self._http.build_request(**request.sent(self._settings)), stream=True)
            if request.stream and response.is_success:
                return _core.Answer(response.status_code, response.headers, b"", response)
            content = bytearray()
            try:
                async for part in response.aiter_bytes():
                    content += part
                    if time.monotonic() > until:
                        return _core.late(self._settings)
            finally:
                await response.aclose()
            return _core.Answer(response.status_code, response.headers, bytes(content))
        except httpx.HTTPError as cause:
            return _core.unreachable(request, cause, self._settings)

    async def _pages(self, path: str, filters: Mapping[str, object] | None = None) -> AsyncIterator[Any]:
        pages = _core.Pages(path, filters)
        while pages.request:
            try:
                page = (await self._call(pages.request)).json()
            except AMSError as error:
                pages.refused(error)
                continue
            for record in pages.take(page):
                yield record

    async def _records(self, request: _core.Request) -> AsyncIterator[Any]:
        lines = _core.Lines()
        async with contextlib.aclosing(self._parts(request)) as parts:
            async for part in parts:
                for record in lines.feed(part):
                    yield record
        lines.end()

    async def _parts(self, request: _core.Request, begun: Callable[[_core.Answer], None] | None = None) -> AsyncGenerator[bytes, None]:
        """The bytes of an answer as they come; before the first, begun gets its status and headers."""
        answer = await self._call(request)
        response: httpx.Response = answer.open
        try:
            if begun:
                begun(answer)
            async for part in response.aiter_bytes():
                yield part
        except httpx.HTTPError as cause:
            raise _core.broken(cause, self._settings) from cause
        finally:
            await response.aclose()


class AsyncCollection(Generic[R, C, P, F, L, BC, BP, BK, BR, E]):
    """The records of one collection."""

    def __init__(self, transport: AsyncTransport, path: str) -> None:
        self._transport = transport
        self._paths = _core.Paths(path)

    async def list(self, filters: F | None = None) -> L:
        """One page."""
        return cast(L, await self._json(_core.Request("GET", self._paths.path, filters)))

    def all(self, filters: F | None = None) -> AsyncIterator[R]:
        """Every record, page by page: one page is in memory at a time."""
        return self._transport._pages(self._paths.path, filters)

    def stream(self, filters: F | None = None) -> AsyncIterator[R]:
        """Every record in one answer, as of one moment. Read it without long pauses: the server ends a stream that nobody reads."""
        return self._transport._records(_core.stream(self._paths.path, filters))

    async def get(self, id: str) -> R:
        return cast(R, await self._json(_core.Request("GET", self._paths.one(id))))

    async def create(self, body: C, *, idempotency_key: str | None = None) -> R:
        return cast(R, await self._json(_core.write("POST", self._paths.path, body, idempotency_key)))

    async def update(self, id: str, patch: P, *, if_match: int | str | None = None) -> R:
        """Changes what the patch names; None clears. With the version of the record as if_match, 409 if somebody else has changed it."""
        return cast(R, await self._json(_core.write("PATCH", self._paths.one(id), patch, headers=_core.match(if_match))))

    async def delete(self, id: str, *, if_match: int | str | None = None) -> None:
        await self._json(_core.write("DELETE", self._paths.one(id), None, headers=_core.match(if_match)))

    async def upsert(self, external_id: str, body: C, *, if_match: int | str | None = None) -> R:
        """Creates the record with your id, or updates the one that has it."""
        return cast(R, await self._json(_core.write("PUT", self._paths.external(external_id), body, headers=_core.match(if_match))))

    async def bulk_create(self, rows: Sequence[BC], *, on_conflict: Literal["error", "skip", "update"] | None = None,
                    atomic: bool | None = None, idempotency_key: str | None = None) -> BR:
        """Creates up to 1000 records in one call: all rows or none, unless atomic is False."""
        return cast(BR, await self._json(self._paths.bulk("POST", rows, idempotency_key, on_conflict=on_conflict, atomic=atomic)))

    async def bulk_update(self, rows: Sequence[BP], *, atomic: bool | None = None, idempotency_key: str | None = None) -> BR:
        """Changes up to 1000 records: each row names its record by id, external_id or natural key."""
        return cast(BR, await self._json(self._paths.bulk("PATCH", rows, idempotency_key, atomic=atomic)))

    async def bulk_delete(self, rows: Sequence[BK], *, atomic: bool | None = None, idempotency_key: str | None = None) -> BR:
        """Deletes up to 1000 records: each row names its record by id, external_id or natural key."""
        return cast(BR, await self._json(self._paths.bulk("DELETE", rows, idempotency_key, atomic=atomic)))

    def history(self, id: str) -> AsyncIterator[E]:
        """Every change of a record, oldest first; also of a deleted record."""
        return self._transport._pages(self._paths.below(id, "history"))

    async def _json(self, request: _core.Request) -> Any:
        return (await self._transport._call(request)).json()
