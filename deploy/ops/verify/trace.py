"""Reads Jaeger's answer and prints the first trace that leads from the gateway through assets to a statement."""
import json
import sys

for trace in json.load(sys.stdin)["data"]:
    services = {process["serviceName"] for process in trace["processes"].values()}
    statements = [tag for span in trace["spans"] for tag in span["tags"] if tag["key"] in ("db.query.text", "db.statement")]
    if {"gateway", "assets"} <= services and statements:
        print(f'trace {trace["traceID"]}: {len(trace["spans"])} spans of {", ".join(sorted(services))}, {len(statements)} statements')
        sys.exit()
sys.exit("no such trace")
