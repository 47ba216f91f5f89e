"""What may go wrong in a call."""

from __future__ import annotations

from typing import Any, Mapping


class AMSError(Exception):
    """An answer of the API that is an error."""

    #: The HTTP status; 0 where there was no answer.
    status: int
    #: A stable word for programs.
    code: str
    #: One sentence for people.
    message: str
    #: The field that clashed, of a 409.
    field: str | None
    #: Every problem of the request, of a 400: {"field", "message"}.
    fields: list[dict[str, str]]
    #: Quote it when you ask for help.
    request_id: str | None
    #: All that the answer says, for example existing_id and allowed.
    body: Mapping[str, Any]

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(body["error"])
        self.status = status
        self.body = body
        self.code = body["code"]
        self.message = body["error"]
        self.field = body.get("field")
        self.fields = body.get("fields") or []
        self.request_id = body.get("request_id")


class AMSConnectionError(AMSError):
    """No whole answer: code is connection_failed, deadline_exceeded, stream_broken or digest_mismatch."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(0, {"error": message, "code": code})


class WebhookError(Exception):
    """A webhook that must not be believed."""
