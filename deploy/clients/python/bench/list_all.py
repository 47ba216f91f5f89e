"""Reads all assets and prints how many there are; on standard error, the seconds and the peak of memory in MB.

    AMS_BASE_URL=… AMS_API_KEY=… [AMS_FILTER=name=value] PYTHONPATH=src python3 bench/list_all.py stream|pages
"""

import os
import resource
import sys
import time
import urllib.parse
from typing import Any

from ams_client import Client

if sys.argv[1:] not in (["stream"], ["pages"]):
    raise SystemExit("usage: python3 bench/list_all.py stream|pages")
filters: Any = dict(urllib.parse.parse_qsl(os.environ.get("AMS_FILTER", "")))

with Client(os.environ["AMS_BASE_URL"], os.environ["AMS_API_KEY"]) as client:
    began = time.perf_counter()
    count = 0
    for record in client.assets.stream(filters) if sys.argv[1] == "stream" else client.assets.all(filters):
        count += record["name"] != ""
    seconds = time.perf_counter() - began
print(count)
print(f"{seconds:.2f} s, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB", file=sys.stderr)
