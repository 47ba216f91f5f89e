"""Both faces against a server that answers by a script: what is repeated, how long is waited, pages, streams."""

from __future__ import annotations

import asyncio
import base64
import email.utils
import hashlib
import io
import json
import unittest
from datetime import date, datetime
from typing import Any, Callable
from unittest import mock

import httpx

from ams_client import AMSConnectionError, AMSError, AsyncClient, Client, __version__, _core

from .fake import Fake, Step, answer, cut, parts, problem, silent

LIMITED = problem(429, "rate_limited", Retry_After="7")
AWAY = problem(503, "unavailable", Retry_After="3")


def page(ids: str, cursor: str | None) -> Step:
    return answer(200, {"data": [{"id": id} for id in ids], "pagination": {"page": None, "total_pages": 9, "next_cursor": cursor}})


class Face:
    """The tests of a face: do carries out a call, read an iterator, and the pauses are kept instead of made."""

    do: Callable[..., Any]
    read: Callable[..., list[Any]]
    pauses: list[float]

    def assertPauses(self, *least: float) -> None:
        assert len(self.pauses) == len(least), self.pauses
        for pause, told in zip(self.pauses, least):
            assert told <= pause <= told + max(told / 10, 0.25), self.pauses

    def test_a_create_is_repeated_with_one_idempotency_key(self) -> None:
        with Fake(LIMITED, AWAY, cut, answer(201, {"id": "a"})) as fake:
            assert self.do(fake, lambda client: client.sites.create({"name": "Hall"})) == {"id": "a"}
        keys = {request.headers["idempotency-key"] for request in fake.received}
        assert len(fake.received) == 4 and len(keys) == 1, keys
        self.assertPauses(7, 3, 2)
        last = fake.received[-1]
        assert json.loads(last.body) == {"name": "Hall"}
        assert last.headers["user-agent"] == f"ams-python/{__version__}"
        assert last.headers["authorization"] == "Bearer ams_live_key"

    def test_each_call_has_its_idempotency_key(self) -> None:
        with Fake(answer(200, {})) as fake:
            for call in (lambda client: client.sites.create({"name": "A"}), lambda client: client.sites.create({"name": "A"}),
                         lambda client: client.sites.create({"name": "A"}, idempotency_key="mine"),
                         lambda client: client.assets.update("a", {"status": "in_service"}, if_match=3),
                         lambda client: client.assets.bulk_update([{"id": "a"}], idempotency_key="bulk", atomic=False),
                         lambda client: client.assets.bulk_create([{"name": "A"}], on_conflict="update"),
                         lambda client: client.assets.bulk_delete([{"id": "a"}], idempotency_key="gone")):
                self.do(fake, call)
        keys = [request.headers.get("idempotency-key") for request in fake.received]
        assert keys[0] != keys[1] and keys[2:5] == ["mine", None, "bulk"] and keys[5] and keys[6] == "gone", keys
        assert fake.received[3].headers["if-match"] == '"3"'
        assert [fake.received[4].url, fake.received[5].url] == ["/v1/assets/bulk?atomic=false", "/v1/assets/bulk?on_conflict=update"]

    def test_what_is_told_again_and_again_is_an_error_in_the_end(self) -> None:
        with Fake(LIMITED) as fake:
            error = self.fails(fake, lambda client: client.me(), retries=2)
        assert (error.status, error.code, len(fake.received)) == (429, "rate_limited", 3)

    def test_a_long_wait_is_left_to_the_caller(self) -> None:
        with Fake(problem(429, "rate_limited", Retry_After="121")) as fake:
            assert self.fails(fake, lambda client: client.me()).status == 429
        assert len(fake.received) == 1

    def test_an_error_has_what_the_answer_says_and_is_not_repeated(self) -> None:
        fields = [{"field": "name", "message": "must not be empty"}]
        with Fake(problem(409, "already_exists", {"field": "code", "fields": fields, "existing_id": "b"})) as fake:
            error = self.fails(fake, lambda client: client.sites.create({"name": "A"}))
        assert (error.status, error.code, error.message, error.field, error.fields, error.request_id, error.body["existing_id"]) == (
            409, "already_exists", "It is already_exists.", "code", fields, "r-1", "b")
        assert str(error) == error.message and len(fake.received) == 1
        with Fake(answer(502, b"<html>")) as fake:
            error = self.fails(fake, lambda client: client.me())
        assert (error.status, error.code, error.request_id) == (502, "http_502", "r-1")
        with Fake(answer(302, b"", Location="/v1/other")) as fake:
            assert self.fails(fake, lambda client: client.me()).status == 302

    def test_a_delete_whose_answer_was_lost_is_done(self) -> None:
        with Fake(cut, problem(404, "not_found")) as fake:
            self.do(fake, lambda client: client.sites.delete("a"))
        assert len(fake.received) == 2
        with Fake(LIMITED, problem(404, "not_found")) as fake:
            assert self.fails(fake, lambda client: client.sites.delete("a")).status == 404

    def test_an_attempt_that_takes_too_long_is_given_up(self) -> None:
        with Fake(silent, answer(200, {"id": "a"})) as fake:
            assert self.do(fake, lambda client: client.sites.get("a"), timeout=0.3) == {"id": "a"}
        with Fake(silent) as fake:
            error = self.fails(fake, lambda client: client.me(), timeout=0.1, retries=0)
        assert isinstance(error, AMSConnectionError) and error.code == "deadline_exceeded" and error.status == 0

    def test_a_server_that_cannot_be_reached_is_an_error(self) -> None:
        with Fake(cut) as fake:
            assert self.fails(fake, lambda client: client.me(), retries=0).code == "connection_failed"

    def test_all_follows_the_cursor_with_the_same_filters(self) -> None:
        filters = {"status": ["in_service", "planned"], "tags": ['a,"b"'], "building_id": None, "updated_since": date(2026, 11, 23), "page": 1}
        with Fake(page("ab", "c1"), page("", "c2"), page("c", None)) as fake:
            assert self.read(fake, lambda client: client.assets.all(filters)) == [{"id": "a"}, {"id": "b"}, {"id": "c"}]
        rest = "/v1/assets?per_page=1000&status=in_service%2Cplanned&tags=a%5C%2C%5C%22b%5C%22&building_id=null&updated_since=2026-11-23"
        assert [request.url for request in fake.received] == [f"{rest}&page=1", f"{rest}&cursor=c1", f"{rest}&cursor=c2"]

    def test_lists_without_a_cursor_are_read_by_number(self) -> None:
        def numbered(id: str, number: int) -> Step:
            return answer(200, {"data": [{"id": id}], "pagination": {"page": number, "total_pages": 3}})
        with Fake(numbered("a", 1), numbered("b", 2), numbered("c", 3)) as fake:
            assert len(self.read(fake, lambda client: client.assets.history("x"))) == 3
        assert [request.url for request in fake.received] == [f"/v1/assets/x/history?per_page=1000{more}" for more in ("", "&page=2", "&page=3")]

    def test_pages_become_smaller_where_records_are_large(self) -> None:
        steps = page("a", "c1"), problem(400, "page_too_large"), page("b", None)
        with Fake(*steps) as fake:
            assert len(self.read(fake, lambda client: client.segments.all())) == 2
        assert fake.received[2].url == "/v1/infrastructure/segments?per_page=500&cursor=c1"
        with Fake(*steps) as fake, unittest.TestCase().assertRaises(AMSError):
            self.read(fake, lambda client: client.segments.all({"per_page": 700}))

    def test_an_id_is_a_part_of_a_path(self) -> None:
        with Fake(answer(200, {})) as fake:
            self.do(fake, lambda client: client.sites.upsert("a/b ?é", {"name": "Hall"}, if_match='"4-x"'))
            self.do(fake, lambda client: client.work_orders.costs("w/1").get("../x"))
        assert [f"{request.method} {request.url}" for request in fake.received] == [
            "PUT /v1/sites/by-external-id/a%2Fb%20%3F%C3%A9", "GET /v1/work-orders/w%2F1/costs/..%2Fx"]
        assert fake.received[0].headers["if-match"] == '"4-x"'

    def test_a_stream_gives_its_records_wherever_its_parts_end(self) -> None:
        records = [{"id": f"é{number}", "text": "😀" * number} for number in range(30)]
        content = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
        for size in (1, 3, 100, 100_000):
            with Fake(AWAY, parts(content, size)) as fake:
                assert self.read(fake, lambda client: client.assets.stream({"q": "pump"})) == records
            assert fake.received[1].headers["accept"] == "application/x-ndjson"
            assert fake.received[1].headers["accept-encoding"] == "identity"
        with Fake(parts(b"", 1)) as fake:
            assert self.read(fake, lambda client: client.assets.stream()) == []

    def test_a_stream_that_broke_off_is_an_error(self) -> None:
        for content, whole in ((b'{"id":"a"}\n{"id":"b"}\n', False), (b'{"id":"a"}\n{"id":', False), (b'{"id":"a"}\n{"id":"b"}', True)):
            with Fake(parts(content, 1000, whole)) as fake, unittest.TestCase().assertRaises(AMSConnectionError) as raised:
                self.read(fake, lambda client: client.assets.stream())
            assert raised.exception.code == "stream_broken" and len(fake.received) == 1
        with Fake(parts(b'{"id":"a"}\n', 100, then=silent)) as fake, unittest.TestCase().assertRaises(AMSConnectionError) as raised:
            self.read(fake, lambda client: client.assets.stream(), timeout=0.2)
        assert raised.exception.code == "deadline_exceeded"

    def test_a_document_is_uploaded_with_its_file(self) -> None:
        with Fake(AWAY, answer(201, {"id": "d1"})) as fake:
            file = io.BytesIO(b"a,b\n" * 100_000)
            document = {"collection": "assets", "record_id": "a1", "issued_on": date(2026, 11, 23)}
            assert self.do(fake, lambda client: client.documents.upload(document, file, "relevé.csv")) == {"id": "d1"}
        first, second = fake.received
        assert first.url == "/v1/documents" and first.headers["idempotency-key"] == second.headers["idempotency-key"]
        for sent in fake.received:
            boundary = sent.headers["content-type"].removeprefix("multipart/form-data; boundary=").encode()
            before, described, content, end = sent.body.split(b"--" + boundary)
            assert b'name="document"' in described and described.endswith(
                b'\r\n\r\n{"collection": "assets", "record_id": "a1", "issued_on": "2026-11-23"}\r\n'), described
            assert 'name="file"; filename="relevé.csv"'.encode() in content and content.endswith(b"\r\n\r\n" + file.getvalue() + b"\r\n")
            assert (before, end) == (b"", b"--\r\n")

    def test_a_document_is_revised(self) -> None:
        with Fake(answer(201, {"id": "d1"})) as fake:
            self.do(fake, lambda client: client.documents.revise("d1", io.BytesIO(b"bytes"), "plan é'(1).pdf", comment="As built"))
            self.do(fake, lambda client: client.documents.revise("d1", io.BytesIO(b"bytes"), idempotency_key="mine"))
        named, unnamed = fake.received
        assert (named.url, named.body, named.headers["content-type"], named.headers["content-disposition"]) == (
            "/v1/documents/d1/revisions?comment=As+built", b"bytes", "application/octet-stream",
            "attachment; filename*=UTF-8''plan%20%C3%A9%27%281%29.pdf"), named
        assert (unnamed.url, unnamed.headers["idempotency-key"]) == ("/v1/documents/d1/revisions", "mine")
        assert named.headers["idempotency-key"] and "content-disposition" not in unnamed.headers

    def test_a_content_comes_in_parts_and_is_compared_with_its_digest(self) -> None:
        content = bytes(range(256)) * 1000
        digest = {"Repr_Digest": f"sha-256=:{base64.b64encode(hashlib.sha256(content).digest()).decode()}:"}
        with Fake(problem(409, "scan_pending", Retry_After="2"), answer(200, content, **digest)) as fake:
            assert b"".join(self.read(fake, lambda client: client.documents.content("d1"))) == content
        self.assertPauses(2)
        assert fake.received[1].url == "/v1/documents/d1/content" and "range" not in fake.received[1].headers
        with Fake(answer(200, content[:-1] + b"x", **digest)) as fake, unittest.TestCase().assertRaises(AMSConnectionError) as raised:
            self.read(fake, lambda client: client.documents.content("d1"))
        assert raised.exception.code == "digest_mismatch"
        with Fake(answer(206, b"part", **digest)) as fake:
            for options in ({"offset": 4}, {"length": 3}, {"offset": 4, "length": 3, "revision": 2}):
                assert self.read(fake, lambda client, options=options: client.documents.content("d1", **options)) == [b"part"]
        assert [(request.url, request.headers["range"]) for request in fake.received] == [
            ("/v1/documents/d1/content", "bytes=4-"), ("/v1/documents/d1/content", "bytes=0-2"), ("/v1/documents/d1/revisions/2/content", "bytes=4-6")]
        with Fake(answer(200, content, **digest)) as fake, unittest.TestCase().assertRaises(AMSConnectionError) as raised:
            self.read(fake, lambda client: client.documents.content("d1", offset=4))
        assert raised.exception.code == "stream_broken"
        with Fake(answer(200, b"\xff\xd8", Content_Type="image/jpeg")) as fake:
            assert self.do(fake, lambda client: client.documents.thumbnail("d1", 1024)) == b"\xff\xd8"
        assert fake.received[0].url == "/v1/documents/d1/thumbnail?size=1024"

    def test_an_upload_goes_on_where_it_stopped(self) -> None:
        content = bytes(range(250)) * 50_000  # a piece and a half
        piece, length = 8 << 20, len(content)

        def at(offset: int, document: str | None = None) -> Step:
            return answer(200, {"id": "u1", "offset": offset, "length": length, "document_id": document})
        with Fake(at(0), cut, problem(409, "offset_mismatch"), at(piece), problem(409, "upload_busy"), at(piece + 5), answer(204, b""),
                  at(length), at(length, "d1"), answer(200, {"id": "d1"})) as fake:
            assert self.do(fake, lambda client: client.documents.resume_upload("u1", io.BytesIO(content))) == {"id": "d1"}
        sent = [request for request in fake.received if request.method == "PATCH"]
        assert [request.headers["upload-offset"] for request in sent] == ["0", "0", str(piece), str(piece + 5)]
        assert [request.body for request in sent] == [content[:piece]] * 2 + [content[piece:], content[piece + 5:]]
        assert {request.headers["content-type"] for request in sent} == {"application/offset+octet-stream"}
        assert len(self.pauses) == 3 and self.pauses[1:] == [1, 1], self.pauses
        with Fake(at(length - 1)) as fake, unittest.TestCase().assertRaises(ValueError):
            self.do(fake, lambda client: client.documents.resume_upload("u1", io.BytesIO(content[:-1])))
        with Fake(at(0), problem(404, "not_found")) as fake:
            assert self.fails(fake, lambda client: client.documents.resume_upload("u1", io.BytesIO(content))).status == 404

    def test_an_upload_says_what_becomes_of_it(self) -> None:
        with Fake(answer(201, {"id": "u1"})) as fake:
            self.do(fake, lambda client: client.documents.begin_upload({"collection": "assets"}, 20, "visité.mp4"))
            self.do(fake, lambda client: client.documents.begin_revision("d1", 21, comment="As built"))
        assert [(request.method, request.url, request.headers["upload-length"], request.headers["tus-resumable"]) for request in fake.received] == [
            ("POST", "/v1/uploads", "20", "1.0.0"), ("POST", "/v1/uploads", "21", "1.0.0")]
        assert [[(name, base64.b64decode(value).decode()) for name, value in (pair.split(" ") for pair in request.headers["upload-metadata"].split(","))]
                for request in fake.received] == [
            [("document", '{"collection": "assets"}'), ("filename", "visité.mp4")], [("document_id", "d1"), ("comment", "As built")]]

    def fails(self, fake: Fake, call: Callable[[Any], Any], **options: Any) -> AMSError:
        with unittest.TestCase().assertRaises(AMSError) as raised:
            self.do(fake, call, **options)
        return raised.exception


class Waiting(Face, unittest.TestCase):
    def setUp(self) -> None:
        self.pauses = []
        patched = mock.patch("ams_client._sync.time.sleep", self.pauses.append)
        patched.start()
        self.addCleanup(patched.stop)

    def do(self, fake: Fake, call: Callable[[Client], Any], **options: Any) -> Any:
        with Client(fake.url, "ams_live_key", **options) as client:
            return call(client)

    def read(self, fake: Fake, call: Callable[[Client], Any], **options: Any) -> list[Any]:
        with Client(fake.url, "ams_live_key", **options) as client:
            return list(call(client))

    def test_who_stops_reading_ends_the_stream(self) -> None:
        with Fake(parts(b'{"id":"a"}\n', 100, then=silent), answer(200, {})) as fake, Client(fake.url, "ams_live_key") as client:
            for record in client.assets.stream():
                self.assertEqual(record, {"id": "a"})
                break
            client.me()  # the connection of the stream is closed, another one is made


class Asynchronous(Face, unittest.TestCase):
    def setUp(self) -> None:
        self.pauses = []
        self.sleep = asyncio.sleep

    def do(self, fake: Fake, call: Callable[[AsyncClient], Any], **options: Any) -> Any:
        async def within() -> Any:
            async with AsyncClient(fake.url, "ams_live_key", **options) as client:
                return await call(client)
        return self.carry_out(within())

    def read(self, fake: Fake, call: Callable[[AsyncClient], Any], **options: Any) -> list[Any]:
        async def within() -> list[Any]:
            async with AsyncClient(fake.url, "ams_live_key", **options) as client:
                return [record async for record in call(client)]
        return list(self.carry_out(within()))

    def carry_out(self, work: Any) -> Any:
        async def paused(seconds: float) -> None:
            self.pauses.append(seconds)
        with mock.patch("ams_client._async.asyncio", mock.Mock(sleep=paused)):
            return asyncio.run(work)


class Waits(unittest.TestCase):
    def test_the_wait_is_what_the_answer_says_and_up_to_a_tenth_more(self) -> None:
        now = datetime(2026, 11, 23, 12).timestamp()
        at = email.utils.formatdate
        cases: list[tuple[dict[str, str], float]] = [
            ({"Retry-After": "20", "X-RateLimit-Reset": "1"}, 20.0),
            ({"Retry-After": at(now + 30), "Date": at(now)}, 30.0),
            ({"X-RateLimit-Reset": str(int(now) + 40), "Date": at(now)}, 40.0),  # by the server's clock
            ({"X-RateLimit-Reset": str(int(now) - 40), "Date": at(now)}, 0.0),
            ({}, 4.0),
        ]
        for headers, least in cases:
            wait = _core.pause(3, httpx.Headers(headers))
            self.assertTrue(least <= wait <= least + max(least / 10, 0.25), f"{headers}: {wait}")
        self.assertLessEqual(_core.pause(20, None), 33)
        self.assertGreater(len({_core.pause(2, None) for _ in range(20)}), 1)

    def test_what_is_no_json_is_refused_before_it_is_sent(self) -> None:
        with Fake(answer(200, {})) as fake, Client(fake.url, "ams_live_key") as client:
            for value in (datetime(2026, 1, 1), object()):  # a time has a zone
                with self.assertRaises(TypeError):
                    client.request("POST", "/v1/sites", body={"at": value})
        self.assertEqual(fake.received, [])
