from __future__ import annotations

import base64
import hashlib
import hmac
import unittest
from unittest import mock

from ams_client import WebhookError, verify_webhook

# The example of https://www.standardwebhooks.com, as in docs/webhooks.md.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + base64.b64encode(b"another secret of some length").decode()
BODY = b'{"test": 2432232314}'
SENT = 1614265330
HEADERS = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": str(SENT),
           "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}


def at(seconds: int) -> mock._patch[mock.Mock]:
    return mock.patch("ams_client.webhooks.time.time", return_value=seconds)


class Webhooks(unittest.TestCase):
    def test_the_documented_example_fits(self) -> None:
        with at(SENT):
            self.assertEqual(verify_webhook(BODY, HEADERS, SECRET), {"test": 2432232314})
            self.assertEqual(verify_webhook(BODY.decode(), {name.title(): value for name, value in HEADERS.items()}, SECRET), {"test": 2432232314})

    def test_either_secret_fits_while_it_is_replaced_and_either_signature(self) -> None:
        with at(SENT + 299):
            verify_webhook(BODY, HEADERS, [OTHER, SECRET])
            verify_webhook(BODY, {**HEADERS, "webhook-signature": f"v1,AAAA v1a,x v1,é {HEADERS['webhook-signature']}"}, SECRET)

    def test_what_does_not_fit_is_refused(self) -> None:
        def signed(stamp: int) -> str:
            key = base64.b64decode(SECRET[6:])
            return "v1," + base64.b64encode(hmac.new(key, b"m.%d.%s" % (stamp, BODY), hashlib.sha256).digest()).decode()
        cases: list[tuple[bytes, dict[str, str], str]] = [
            (BODY + b" ", HEADERS, SECRET),
            (BODY, {**HEADERS, "webhook-id": "msg_other"}, SECRET),
            (BODY, {**HEADERS, "webhook-timestamp": str(SENT + 1)}, SECRET),
            (BODY, {**HEADERS, "webhook-timestamp": "now"}, SECRET),
            (BODY, {**HEADERS, "webhook-signature": HEADERS["webhook-signature"][3:]}, SECRET),
            (BODY, {**HEADERS, "webhook-signature": ""}, SECRET),
            (BODY, {}, SECRET),
            (BODY, HEADERS, OTHER),
            (BODY, {"webhook-id": "m", "webhook-timestamp": str(SENT - 301), "webhook-signature": signed(SENT - 301)}, SECRET),
        ]
        for body, headers, secret in cases:
            with at(SENT), self.assertRaises(WebhookError):
                verify_webhook(body, headers, secret)
