"""The API with one key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping, cast

from . import _core
from ._collections import AsyncCollections, Collections

if TYPE_CHECKING:
    from .types import EventsFilters, EventsResult, Me, SearchFilters, SearchResult


def _me() -> _core.Request:
    return _core.Request("GET", "/v1/me")


def _search(q: str, filters: Mapping[str, object] | None) -> _core.Request:
    return _core.Request("GET", "/v1/search", {**(filters or {}), "q": q})


def _events(after: str | None, filters: Mapping[str, object] | None) -> _core.Request:
    return _core.Request("GET", "/v1/events", {**(filters or {}), **({} if after is None else {"after": after})})


class Client(Collections):
    """The API with one key: Client("https://api.example.ca", key). Close it, or use it in a with statement."""

    def me(self) -> Me:
        """The organization, plan, scopes and limits of the key."""
        return cast("Me", self._call(_me()).json())

    def search(self, q: str, filters: SearchFilters | None = None) -> SearchResult:
        """Records of all collections by their names and codes, the best first."""
        return cast("SearchResult", self._call(_search(q, filters)).json())

    def events(self, after: str | None = None, filters: EventsFilters | None = None) -> EventsResult:
        """The events behind a cursor. Go on with next, at once where has_more. Without a cursor: from the oldest that is kept."""
        return cast("EventsResult", self._call(_events(after, filters)).json())


class AsyncClient(AsyncCollections):
    """The same for programs that do other things meanwhile: AsyncClient("https://api.example.ca", key)."""

    async def me(self) -> Me:
        """The organization, plan, scopes and limits of the key."""
        return cast("Me", (await self._call(_me())).json())

    async def search(self, q: str, filters: SearchFilters | None = None) -> SearchResult:
        """Records of all collections by their names and codes, the best first."""
        return cast("SearchResult", (await self._call(_search(q, filters))).json())

    async def events(self, after: str | None = None, filters: EventsFilters | None = None) -> EventsResult:
        """The events behind a cursor. Go on with next, at once where has_more. Without a cursor: from the oldest that is kept."""
        return cast("EventsResult", (await self._call(_events(after, filters))).json())
