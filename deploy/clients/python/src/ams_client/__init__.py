"""Client of the AMS API: typed records, pages and streams as iterators, waiting on limits, webhooks. Client waits for each call,
AsyncClient is for asyncio."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._client import AsyncClient, Client
from ._version import version as __version__
from .errors import AMSConnectionError, AMSError, WebhookError
from .webhooks import verify_webhook

__all__ = ["AMSConnectionError", "AMSError", "AsyncClient", "Client", "WebhookError", "__version__", "verify_webhook"]

if not TYPE_CHECKING:

    def __getattr__(name):
        """ams_client.types is read when a program asks for it: its thousands of types take longer than all else that an import does."""
        if name == "types":
            return importlib.import_module(".types", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
