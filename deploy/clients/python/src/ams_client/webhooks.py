"""Checking that a webhook is what it says: Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Mapping, Sequence, cast

from .errors import WebhookError

if TYPE_CHECKING:
    from .types import Event

TOLERANCE = 5 * 60


def verify_webhook(body: bytes | str, headers: Mapping[str, str], secret: str | Sequence[str]) -> Event:
    """Gives the event of a webhook, after its signature over the body as it was received has been checked.

    While the secret is being replaced, give both. Raises WebhookError where none fits, or where the call is older than five minutes.
    """
    body = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookError(f"The header {missing.args[0]} is missing.") from None
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE:
        raise WebhookError("The webhook is not of the last five minutes.")
    signed = f"{id}.{timestamp}.".encode() + body
    for one in [secret] if isinstance(secret, str) else secret:
        key = base64.b64decode(one.removeprefix("whsec_"))
        expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        # All are compared, so that the time does not say which one fits.
        if any([hmac.compare_digest(expected, signature.encode()) for signature in signatures.split(" ")]):
            return cast("Event", json.loads(body))
    raise WebhookError("No signature of the webhook fits.")
