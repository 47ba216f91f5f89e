"""Both faces against the API itself: AMS_BASE_URL and a key for everything in AMS_API_KEY."""

from __future__ import annotations

import asyncio
import io
import os
import queue
import threading
import time
import unittest
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from ams_client import AMSError, AsyncClient, Client, verify_webhook
from ams_client.types import AssetBulkDeleteRow

URL, KEY = os.environ["AMS_BASE_URL"], os.environ["AMS_API_KEY"]


class API(unittest.TestCase):
    client: Client
    site: Any
    run_id = uuid.uuid4().hex[:8]

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = Client(URL, KEY)
        cls.site = cls.client.sites.create({"name": f"Library {cls.run_id}", "external_id": f"S-{cls.run_id}"})
        result = cls.client.assets.bulk_create([
            {"name": f"Pump {number}", "site_id": cls.site["id"], "external_id": f"A-{cls.run_id}-{number}"} for number in range(30)])
        assert result["summary"]["created"] == 30

    @classmethod
    def tearDownClass(cls) -> None:
        keys: list[AssetBulkDeleteRow] = [{"id": record["id"]} for record in cls.client.assets.all({"site_id": cls.site["id"]})]
        assert cls.client.assets.bulk_delete(keys)["summary"]["deleted"] == len(keys)
        cls.client.sites.delete(cls.site["id"])
        try:
            cls.client.sites.get(cls.site["id"])
        except AMSError as error:
            assert (error.status, error.code) == (404, "not_found")
        else:
            raise AssertionError("the site is still there")
        finally:
            cls.client.close()

    def fails(self, status: int, call: Any, *arguments: Any, **options: Any) -> AMSError:
        with self.assertRaises(AMSError) as raised:
            call(*arguments, **options)
        self.assertEqual(raised.exception.status, status)
        return raised.exception

    def test_who_the_key_is(self) -> None:
        self.assertIn("*:*", self.client.me()["key"]["scopes"])

    def test_a_page_all_pages_and_the_stream_have_the_same_records(self) -> None:
        page = self.client.assets.list({"site_id": self.site["id"], "per_page": 100})
        ids = [record["id"] for record in page["data"]]
        self.assertEqual(page["pagination"]["total"], len(ids))
        self.assertGreaterEqual(len(ids), 30)
        self.assertEqual([record["id"] for record in self.client.assets.all({"site_id": self.site["id"], "per_page": 7})], ids)
        self.assertEqual([record["id"] for record in self.client.assets.stream({"site_id": self.site["id"]})], ids)

    def test_a_record_is_created_changed_at_its_version_and_refused_at_another(self) -> None:
        made = self.client.assets.create({"name": "Boiler", "site_id": self.site["id"], "status": "planned"})
        changed = self.client.assets.update(made["id"], {"status": "in_service"}, if_match=made["version"])
        self.assertEqual((changed["status"], changed["version"], changed["name"]), ("in_service", made["version"] + 1, "Boiler"))
        error = self.fails(409, self.client.assets.update, made["id"], {"name": "Furnace"}, if_match=made["version"])
        self.assertTrue(error.code and error.request_id)
        self.assertEqual(self.client.assets.get(made["id"])["name"], "Boiler")
        self.assertEqual([change["action"] for change in self.client.assets.history(made["id"])], ["created", "updated"])
        self.client.assets.delete(made["id"], if_match=changed["version"])

    def test_one_record_is_created_then_updated_by_external_id(self) -> None:
        key = f"U/{self.run_id} é"
        made = self.client.assets.upsert(key, {"name": "Fan", "site_id": self.site["id"]})
        changed = self.client.assets.upsert(key, {"name": "Fan 2", "site_id": self.site["id"]}, if_match=made["version"])
        self.assertEqual((made["external_id"], changed["id"], changed["name"], changed["version"]), (key, made["id"], "Fan 2", made["version"] + 1))
        error = self.fails(409, self.client.assets.upsert, key, {"name": "Fan 3"}, if_match=made["version"])
        self.assertEqual(error.code, "version_mismatch")

    def test_rows_that_are_there_are_updated_by_external_id(self) -> None:
        rows: Any = [{"name": "Pump one", "site_id": self.site["id"], "external_id": f"A-{self.run_id}-1"},
                     {"name": "New", "site_external_id": f"S-{self.run_id}", "external_id": f"N-{self.run_id}"}]
        result = self.client.assets.bulk_create(rows, on_conflict="update")
        self.assertEqual((result["summary"]["updated"], result["summary"]["created"]), (1, 1))
        self.assertEqual(len(self.fails(409, self.client.assets.bulk_create, rows).body["results"]), 2)
        partly = self.client.assets.bulk_update([{"external_id": f"N-{self.run_id}", "name": "Newer"}, {"id": str(uuid.uuid4()), "name": "None"}], atomic=False)
        self.assertEqual((partly["summary"]["updated"], partly["summary"]["failed"]), (1, 1))

    def test_every_problem_of_a_body_is_named(self) -> None:
        error = self.fails(400, self.client.assets.create, {"name": "", "condition_rating": 9})
        self.assertIn("condition_rating", [problem["field"] for problem in error.fields])

    def test_records_below_another_a_path_without_a_method_and_a_search(self) -> None:
        order = self.client.work_orders.create({"title": "Bearings", "site_id": self.site["id"]})
        tasks = self.client.work_orders.tasks(order["id"])
        task = tasks.create({"title": "Look"})
        self.assertEqual([one["id"] for one in tasks.list()["data"]], [task["id"]])
        csv = self.client.request("GET", "/v1/work-orders", query={"ids": order["id"], "fields": ["id", "title"]}, headers={"Accept": "text/csv"})
        self.assertEqual(csv, f"id,title\n{order['id']},Bearings\n")
        self.assertEqual(self.client.search(f"Library {self.run_id}", {"kinds": ["site"]})["data"][0]["id"], self.site["id"])
        self.client.work_orders.delete(order["id"])

    def test_a_webhook_that_was_delivered_is_verified_and_is_in_the_feed(self) -> None:
        received: queue.Queue[Any] = queue.Queue()

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                received.put((self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Receiver) as server:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            self.addCleanup(server.shutdown)
            endpoint = self.client.webhook_endpoints.create(
                {"url": f"http://127.0.0.1:{server.server_address[1]}/", "event_types": ["site.updated"]})
            self.addCleanup(self.client.webhook_endpoints.delete, endpoint["id"])
            self.client.sites.update(self.site["id"], {"name": f"Library {self.run_id} again"})
            body, headers = received.get(timeout=90)
            event: Any = verify_webhook(body, headers, endpoint["secret"] or "")
            self.assertEqual((event["type"], event["data"]["object"]["id"], event["data"]["changed"]), ("site.updated", self.site["id"], ["name"]))
        ids: list[str] = []
        page = self.client.events(None, {"limit": 1000, "types": ["site.*"], "wait": 10})
        while event["id"] not in (ids := ids + [one["id"] for one in page["data"]]):
            page = self.client.events(page["next"], {"limit": 1000, "types": ["site.*"], "wait": 10})

    def test_documents_have_files_which_are_revised_read_and_uploaded_in_pieces(self) -> None:
        documents, content = self.client.documents, b"reading,value\n" * 700_000  # more than a piece
        made = documents.upload({"collection": "sites", "record_id": self.site["id"]}, io.BytesIO(content[:-1]), f"Relevé {self.run_id}.csv")
        self.addCleanup(documents.delete, made["id"])
        self.assertEqual((made["title"], made["size_bytes"], made["revision"]), (f"Relevé {self.run_id}.csv", len(content) - 1, 1))
        upload = documents.begin_revision(made["id"], len(content), comment="Whole")
        self.assertEqual(documents.resume_upload(upload["id"], io.BytesIO(content))["revision"], 2)
        self.assertEqual(documents.revise(made["id"], io.BytesIO(b"a,b\n"), "plan (1) 'é'.csv")["file_name"], "plan (1) 'é'.csv")
        self.wait_for_scan(made["id"])
        self.assertEqual(b"".join(documents.content(made["id"])), b"a,b\n")
        self.assertEqual(b"".join(documents.content(made["id"], revision=2)), content)
        self.assertEqual(b"".join(documents.content(made["id"], revision=2, offset=8, length=5)), b"value")
        self.assertEqual(self.fails(404, documents.thumbnail, made["id"]).code, "no_thumbnail")

        async def work() -> None:
            async with AsyncClient(URL, KEY) as client:
                begun = await client.documents.begin_upload({"collection": "sites", "record_id": self.site["id"]}, len(content), "again.csv")
                again = await client.documents.resume_upload(begun["id"], io.BytesIO(content))
                self.assertEqual(again["size_bytes"], len(content))
                small = await client.documents.upload({"collection": "sites", "record_id": self.site["id"]}, io.BytesIO(b"a,b\n"), "small.csv")
                self.wait_for_scan(small["id"])
                self.assertEqual([part async for part in client.documents.content(small["id"])], [b"a,b\n"])
                for document in (again, small):
                    await client.documents.delete(document["id"])
        asyncio.run(work())

    def wait_for_scan(self, id: str) -> None:
        deadline = time.monotonic() + 60
        while self.client.documents.get(id)["scan_status"] == "pending" and time.monotonic() < deadline:
            time.sleep(0.2)

    def test_the_other_face_does_the_same(self) -> None:
        async def work() -> None:
            async with AsyncClient(URL, KEY) as client:
                self.assertEqual((await client.me())["organization"]["id"], self.client.me()["organization"]["id"])
                made = await client.assets.create({"name": "Fan", "site_id": self.site["id"]})
                changed = await client.assets.update(made["id"], {"condition_rating": 2}, if_match=made["version"])
                with self.assertRaises(AMSError):
                    await client.assets.update(made["id"], {"condition_rating": 3}, if_match=made["version"])
                pages = [record["id"] async for record in client.assets.all({"site_id": self.site["id"], "per_page": 7})]
                stream = [record["id"] async for record in client.assets.stream({"site_id": self.site["id"]})]
                self.assertEqual(pages, stream)
                self.assertIn(made["id"], stream)
                self.assertEqual([change["action"] async for change in client.assets.history(made["id"])], ["created", "updated"])
                await client.assets.delete(made["id"], if_match=changed["version"])
        asyncio.run(work())
