"""Documents with their files, in both faces. What they do alike stands first."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
from typing import TYPE_CHECKING, AsyncIterator, BinaryIO, Generator, Iterator, cast
from urllib.parse import quote

from . import _core
from ._async import AsyncCollection
from ._sync import BC, BK, BP, BR, C, Collection, E, F, L, P, R
from .errors import AMSConnectionError, AMSError

if TYPE_CHECKING:
    from .types import Upload

PIECE = 8 << 20  #: How much of an upload is sent in one request: what the service makes durable at a time.
TUS = {"Tus-Resumable": "1.0.0"}
BYTES = "application/octet-stream"


def upload(path: str, document: object, file: BinaryIO, name: str | None, key: str | None) -> _core.Request:
    parts = [("document", (None, json.dumps(document, default=_core.text).encode(), "application/json")),  # comes first
             ("file", (name or os.path.basename(file.name), file, BYTES))]
    return _core.write("POST", path, None, key, files=parts, size=file.seek(0, os.SEEK_END))


def revise(path: str, file: BinaryIO, name: str | None, comment: str | None, key: str | None) -> _core.Request:
    file.seek(0)
    content = file.read()
    headers = {"Content-Type": BYTES}
    if name is not None:
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"  # RFC 8187
    return _core.write("POST", path, None, key, headers=headers, content=content, size=len(content), query={"comment": comment} if comment else None)


def begin(metadata: dict[str, str | None], size: int) -> _core.Request:
    named = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in metadata.items() if value)
    return _core.write("POST", "/v1/uploads", None, headers={**TUS, "Upload-Length": str(size), "Upload-Metadata": named})


def resume(upload_id: str, file: BinaryIO, settings: _core.Settings) -> Generator[_core.Step, _core.Outcome, str]:
    """The steps of sending what the service does not have yet of a file. Their result is the id of the document."""
    path = f"/v1/uploads/{quote(upload_id, safe='')}"
    while True:
        known = (yield from _core.attempts(_core.Request("GET", path), settings)).json()
        if known["document_id"]:
            return str(known["document_id"])
        file.seek(known["offset"])
        content = file.read(min(PIECE, known["length"] - known["offset"]))
        busy = known["offset"] == known["length"]  # another request makes the document just now
        if not content and not busy:
            raise ValueError(f"the file ends at byte {known['offset']}, the upload has {known['length']}")
        headers = {**TUS, "Upload-Offset": str(known["offset"]), "Content-Type": "application/offset+octet-stream"}
        try:
            if content:
                yield from _core.attempts(_core.Request("PATCH", path, headers=headers, content=content, size=len(content)), settings)
        except AMSError as error:
            if error.code not in ("offset_mismatch", "upload_busy"):  # the service has some of it already, or another request sends
                raise
            busy = error.code == "upload_busy"
        if busy:
            yield _core.Pause(1)


class Content:
    """The bytes of a file, or of a part of it: the request, and what is checked as they come."""

    def __init__(self, paths: _core.Paths, id: str, revision: int | None, offset: int, length: int | None) -> None:
        self._whole = offset == 0 and length is None
        self._digest, self._wanted = hashlib.sha256(), ""
        headers = {"Accept": "*/*"}
        if not self._whole:
            headers["Range"] = f"bytes={offset}-{'' if length is None else offset + length - 1}"
        path = paths.below(id, "content" if revision is None else f"revisions/{revision}/content")
        self.request = _core.Request("GET", path, headers=headers, stream=True)

    def begin(self, answer: _core.Answer) -> None:
        if not self._whole and answer.status != 206:
            raise AMSConnectionError("stream_broken", "The answer is not the part that was asked for.")
        self._wanted = answer.headers.get("Repr-Digest", "") if self._whole else ""  # RFC 9530

    def feed(self, part: bytes) -> bytes:
        self._digest.update(part)
        return part

    def end(self) -> None:
        if self._wanted and self._wanted != f"sha-256=:{base64.b64encode(self._digest.digest()).decode()}:":
            raise AMSConnectionError("digest_mismatch", "The content arrived with other bytes than the service has: read it again.")


def thumbnail(paths: _core.Paths, id: str, size: int) -> _core.Request:
    return _core.Request("GET", paths.below(id, "thumbnail"), {"size": size}, headers={"Accept": "*/*"})


class DocumentCollection(Collection[R, C, P, F, L, BC, BP, BK, BR, E]):
    """Documents and their files, which are open for reading bytes."""

    def upload(self, document: P, file: BinaryIO, name: str | None = None, *, idempotency_key: str | None = None) -> R:
        """Creates a document with its file, which has the name that it has on disk unless you give one; without a title, that is the title."""
        return cast(R, self._json(upload(self._paths.path, document, file, name, idempotency_key)))

    def revise(self, id: str, file: BinaryIO, name: str | None = None, *, comment: str | None = None, idempotency_key: str | None = None) -> R:
        """Gives a document new content, held in memory, as its next revision; the old ones stay. begin_revision is for large files."""
        return cast(R, self._json(revise(self._paths.below(id, "revisions"), file, name, comment, idempotency_key)))

    def content(self, id: str, *, revision: int | None = None, offset: int = 0, length: int | None = None) -> Iterator[bytes]:
        """The bytes of the latest or of another revision as they come, all or so many from an offset on. After those of a whole file its SHA-256 is
        compared with the service's (code digest_mismatch). While a file is looked through for malware, the call waits as for a 503."""
        content = Content(self._paths, id, revision, offset, length)
        with contextlib.closing(self._transport._parts(content.request, content.begin)) as parts:
            for part in parts:
                yield content.feed(part)
        content.end()

    def thumbnail(self, id: str, size: int = 256) -> bytes:
        """A small picture of a document, as JPEG: 256 or 1024 pixels on its longer side. 404 no_thumbnail where there is none (yet)."""
        return self._transport._call(thumbnail(self._paths, id, size)).content

    def begin_upload(self, document: P, size: int, name: str) -> Upload:
        """Begins to upload a file of so many bytes, of which a new document is made (tus 1.0.0). resume_upload sends it. Keep the id to go on with it
        after your program was started again: the service has the upload for 24 hours after its last byte came."""
        return cast("Upload", self._json(begin({"document": json.dumps(document, default=_core.text), "filename": name}, size)))

    def begin_revision(self, id: str, size: int, name: str | None = None, *, comment: str | None = None) -> Upload:
        """Begins to upload a file of so many bytes, which becomes the next revision of a document."""
        return cast("Upload", self._json(begin({"document_id": id, "filename": name, "comment": comment}, size)))

    def resume_upload(self, upload_id: str, file: BinaryIO) -> R:
        """Sends what the service does not have yet of an upload's file, and gives the document. Call it again after any error: it goes on where the
        service says. Only the key that began an upload may go on with it; it needs documents:read besides."""
        return self.get(self._transport._run(resume(upload_id, file, self._transport._settings)))


class AsyncDocumentCollection(AsyncCollection[R, C, P, F, L, BC, BP, BK, BR, E]):
    """The same for asyncio. Files are read without asyncio: they are on a disk."""

    async def upload(self, document: P, file: BinaryIO, name: str | None = None, *, idempotency_key: str | None = None) -> R:
        """Creates a document with its file, which has the name that it has on disk unless you give one; without a title, that is the title."""
        return cast(R, await self._json(upload(self._paths.path, document, file, name, idempotency_key)))

    async def revise(self, id: str, file: BinaryIO, name: str | None = None, *, comment: str | None = None, idempotency_key: str | None = None) -> R:
        """Gives a document new content, held in memory, as its next revision; the old ones stay. begin_revision is for large files."""
        return cast(R, await self._json(revise(self._paths.below(id, "revisions"), file, name, comment, idempotency_key)))

    async def content(self, id: str, *, revision: int | None = None, offset: int = 0, length: int | None = None) -> AsyncIterator[bytes]:
        """The bytes of the latest or of another revision as they come, all or so many from an offset on. After those of a whole file its SHA-256 is
        compared with the service's (code digest_mismatch). While a file is looked through for malware, the call waits as for a 503."""
        content = Content(self._paths, id, revision, offset, length)
        async with contextlib.aclosing(self._transport._parts(content.request, content.begin)) as parts:
            async for part in parts:
                yield content.feed(part)
        content.end()

    async def thumbnail(self, id: str, size: int = 256) -> bytes:
        """A small picture of a document, as JPEG: 256 or 1024 pixels on its longer side. 404 no_thumbnail where there is none (yet)."""
        return (await self._transport._call(thumbnail(self._paths, id, size))).content

    async def begin_upload(self, document: P, size: int, name: str) -> Upload:
        """Begins to upload a file of so many bytes, of which a new document is made (tus 1.0.0). resume_upload sends it. Keep the id to go on with it
        after your program was started again: the service has the upload for 24 hours after its last byte came."""
        return cast("Upload", await self._json(begin({"document": json.dumps(document, default=_core.text), "filename": name}, size)))

    async def begin_revision(self, id: str, size: int, name: str | None = None, *, comment: str | None = None) -> Upload:
        """Begins to upload a file of so many bytes, which becomes the next revision of a document."""
        return cast("Upload", await self._json(begin({"document_id": id, "filename": name, "comment": comment}, size)))

    async def resume_upload(self, upload_id: str, file: BinaryIO) -> R:
        """Sends what the service does not have yet of an upload's file, and gives the document. Call it again after any error: it goes on where the
        service says. Only the key that began an upload may go on with it; it needs documents:read besides."""
        return await self.get(await self._transport._run(resume(upload_id, file, self._transport._settings)))
