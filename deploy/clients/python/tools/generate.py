"""Writes ams_client/types.py (the types of the document), _collections.py (its collections, by their operations) and _version.py.

    python3 tools/generate.py [openapi.json] [folder]
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NOTICE = '"""{about}\n\nMade by "make clients" from deploy/clients/openapi.json: do not edit.\n"""\n\n'

Schema = dict[str, Any]


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


# NAMES are the collections whose last part says too little, or is another one's.
NAMES = {
    "/v1/accounting/classes": "capital_asset_classes",
    "/v1/accounting/transactions": "capital_asset_transactions",
    "/v1/forms/responses": "form_responses",
    "/v1/forms/templates": "form_templates",
    "/v1/infrastructure/deficiencies": "infrastructure_deficiencies",
}


# NOTHING is the type of what a collection does not take: records that are only appended to are never patched or deleted.
NOTHING = "NoReturn"

# CLASSES are the collections that can more than others.
CLASSES = {"/v1/documents": "DocumentCollection"}


def last_part(path: str) -> str:
    return path.rsplit("/", 1)[1].replace("-", "_")


class Types:
    """Python's types of schemas. An object that has properties becomes a TypedDict, under its own name or the one that it is given."""

    def __init__(self, document: Schema) -> None:
        self.document = document
        self.text: list[str] = []
        self.names: set[str] = set()

    def of(self, schema: Schema, name: str) -> str:
        if "$ref" in schema:
            return str(schema["$ref"].rsplit("/", 1)[1])
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            values = [repr(value) for value in schema["enum"] if value is not None]
            return self.optional(f"Literal[{', '.join(values)}]", None in schema["enum"])
        if "allOf" in schema:
            return self.of(schema["allOf"][0], name) if len(schema["allOf"]) == 1 else self.record(self.together(schema), name)
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                parts = [self.of(part, f"{name}{number or ''}") for number, part in enumerate(schema[choice])]
                return " | ".join(dict.fromkeys(parts))
        kinds = schema.get("type", "any")
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        types = [self.kind(kind, schema, name) for kind in kinds if kind != "null"]
        return self.optional(" | ".join(dict.fromkeys(types)), "null" in kinds) if types else "None"

    def resolved(self, given: Schema) -> Schema:
        """What a reference refers to."""
        for part in given.get("$ref", "").split("/")[1:]:
            given = (self.document if part == "components" else given)[part]
        return given

    def together(self, schema: Schema) -> Schema:
        """One object of those that a schema is made of."""
        parts = [self.resolved(part) for part in schema["allOf"]]
        return {
            "description": schema.get("description", ""),
            "properties": {field: given for part in parts for field, given in part.get("properties", {}).items()},
            "required": [field for part in parts for field in part.get("required", [])],
        }

    def kind(self, kind: str, schema: Schema, name: str) -> str:
        if kind == "array":
            return f"list[{self.of(schema.get('items', {}), name + 'Item')}]"
        if kind != "object":
            return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}.get(kind, "Any")
        if schema.get("properties"):
            return self.record(schema, name)
        values = schema.get("additionalProperties")
        return f"dict[str, {self.of(values, name + 'Value') if isinstance(values, dict) and values else 'Any'}]"

    @staticmethod
    def optional(text: str, null: bool) -> str:
        return f"{text} | None" if null and text != "Any" else text

    def record(self, schema: Schema, name: str) -> str:
        """Adds a TypedDict. Fields that may be missing stand in a class of their own, as Python 3.10 has no other way to say so."""
        while name in self.names:
            name += "_"
        self.names.add(name)
        required = set(schema.get("required", []))
        fields = {field: (self.of(given, name + pascal(field)), given.get("description", "")) for field, given in schema["properties"].items()}
        always = {field: given for field, given in fields.items() if field in required}
        others = {field: given for field, given in fields.items() if field not in required}
        about = schema.get("description", "")
        if not always or not others:
            self.add(name, "TypedDict", always or others, total=not others, about=about)
        else:
            self.add(f"_{name}Required", "TypedDict", always)
            self.add(name, f"_{name}Required", others, total=False, about=about)
        return name

    def add(self, name: str, base: str, fields: dict[str, tuple[str, str]], total: bool = True, about: str = "") -> None:
        if base == "TypedDict" and any(keyword.iskeyword(field) for field in fields):
            lines = [f"    {field!r}: {kind!r}," for field, (kind, _) in fields.items()]
            self.text.append(f"{name} = TypedDict({name!r}, {{\n" + "\n".join(lines) + f"\n}}, total={total})\n")
            return
        words = {field: given for field, given in fields.items() if keyword.iskeyword(field)}
        if words:  # no class can have them: they come from one above it
            self.add(f"_{name}Words", "TypedDict", words, total)
            base, fields = f"{base}, _{name}Words", {field: given for field, given in fields.items() if field not in words}
        lines = [f"class {name}({base}{'' if total else ', total=False'}):"]
        if about:
            lines.append(f"    {literal(about)}\n")
        if not fields:
            lines.append("    pass")
        for field, (kind, doc) in fields.items():
            lines += textwrap.wrap(doc, 130, initial_indent="    #: ", subsequent_indent="    #: ")
            lines.append(f"    {field}: {kind}")
        self.text.append("\n".join(lines) + "\n")


def literal(text: str) -> str:
    return '"""' + text.replace("\\", "\\\\").replace('"""', "'''") + '"""'


def body(operation: Schema) -> Schema:
    schema: Schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return schema


def answer(operation: Schema) -> Schema:
    status = next(status for status in operation["responses"] if status.startswith("2"))
    schema: Schema = operation["responses"][status].get("content", {}).get("application/json", {}).get("schema", {})
    return schema


class Document:
    def __init__(self, document: Schema) -> None:
        self.document = document
        self.types = Types(document)
        schemas = document["components"]["schemas"]
        self.types.names.update(schemas)
        for name, schema in schemas.items():
            self.types.names.discard(name)
            made = self.types.of(schema, name)
            if made != name:  # a text, a list, a union
                self.types.names.add(name)
                self.types.text.append(f"{name}: TypeAlias = {made!r}\n")

    def rows(self, operation: Schema, name: str) -> str:
        """The type of a row of a bulk call."""
        return self.types.of(self.types.resolved(body(operation))["properties"]["data"]["items"], name)

    def query(self, operation: Schema, name: str, without: str = "") -> str:
        """The type of an operation's query. Several values of one parameter are a list."""
        properties: Schema = {}
        for given in operation.get("parameters", []):
            given = self.types.resolved(given)
            if given["in"] != "query" or given["name"] == without:
                continue
            schema = dict(given["schema"])
            schema.setdefault("description", given.get("description", ""))
            if schema.get("type") == "array":
                one = self.types.resolved(schema["items"])
                if "enum" not in one and one.get("type") == "string":  # also of numbers, which are texts for the sake of null
                    schema = {**schema, "items": {"type": ["string", "number"]}}
                schema = {"anyOf": [schema["items"], schema, {"type": "null"}], "description": schema["description"]}
            properties[given["name"]] = schema
        self.types.record({"properties": properties}, name)
        return name

    def collections(self) -> list[tuple[str, list[str]]]:
        """The paths under which records are listed and created, and mostly changed too, with their types."""
        found: list[tuple[str, list[str]]] = []
        paths = self.document["paths"]
        for path, methods in paths.items():
            if not {"get", "post"} <= methods.keys() or "post" not in paths.get(f"{path}/bulk", {}) or f"{path}/{{id}}" not in paths:
                continue  # readings of meters are no records: they have no path of their own
            one, bulk = paths[f"{path}/{{id}}"], paths[f"{path}/bulk"]
            record = self.types.of(answer(one["get"]), pascal(one["get"]["operationId"]))
            history = self.types.resolved(answer(paths[f"{path}/{{id}}/history"]["get"]))
            found.append((path, [
                record,
                self.types.of(body(methods["post"]), f"{record}Write"),
                self.types.of(body(one["patch"]), f"{record}Patch") if "patch" in one else NOTHING,
                self.query(methods["get"], f"{record}Filters"),
                self.types.of(answer(methods["get"]), f"{record}List"),
                self.rows(bulk["post"], f"{record}BulkCreateRow"),
                self.rows(bulk["patch"], f"{record}BulkPatchRow") if "patch" in bulk else NOTHING,
                self.rows(bulk["delete"], f"{record}BulkDeleteRow") if "delete" in bulk else NOTHING,
                self.types.of(answer(bulk["post"]), f"{record}BulkResult"),
                self.types.of(history["properties"]["data"]["items"], f"{record}Change"),
            ]))
        return found

    def collections_file(self) -> str:
        text = [NOTICE.format(about="The collections of the API."), "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING, NoReturn\n\n",
                "from ._async import AsyncCollection, AsyncTransport\nfrom ._documents import AsyncDocumentCollection, DocumentCollection\nfrom ._sync import Collection, Transport\n\n",
                "if TYPE_CHECKING:\n    from . import types\n"]
        found = self.collections()
        for prefix in ("", "Async"):
            members = [f"\n\nclass {prefix}Collections({prefix}Transport):\n"]
            for path, types in found:
                if "{" in path:
                    continue
                name = NAMES.get(path) or last_part(path)
                below = [(other, theirs) for other, theirs in found if other.startswith(f"{path}/{{")]
                kind = made = self.collection(prefix, types)
                if below:
                    made = kind = f"{prefix}{pascal(name)}"
                    base = self.collection(prefix, types, '"', CLASSES.get(path, "Collection"))  # a base is looked at when the program runs
                    text.append(f"\n\nclass {kind}(\n    {base}\n):\n    \"\"\"{path}, and what is below one of them.\"\"\"\n")
                    for other, theirs in below:
                        parent = re.findall(r"\{(\w+)\}", other)[0]
                        text.append(f"\n    def {last_part(other)}(self, {parent}: str) -> {self.collection(prefix, theirs)}:\n"
                                    f"        \"\"\"{other}\"\"\"\n"
                                    f"        return {prefix}Collection(self._transport, self._paths.below({parent}, \"{other.rsplit('/')[-1]}\"))\n")
                else:
                    made = f"{prefix}Collection"
                members.append(f"    @property\n    def {name}(self) -> {kind}:\n        \"\"\"{path}\"\"\"\n"
                               f"        return {made}(self, \"{path}\")\n\n")
            text += members
        return "".join(text).rstrip() + "\n"

    @staticmethod
    def collection(prefix: str, types: list[str], quote: str = "", kind: str = "Collection") -> str:
        return f"{prefix}{kind}[{', '.join(one if '[' in one or one == NOTHING else f'{quote}types.{one}{quote}' for one in types)}]"

    def types_file(self) -> str:
        paths = self.document["paths"]
        for path, name, without in (("/v1/me", "Me", ""), ("/v1/search", "Search", "q"), ("/v1/events", "Events", "after")):
            get = paths[path]["get"]
            made = self.types.of(answer(get), f"{name}Result")
            if made != name and made != f"{name}Result":
                self.types.text.append(f"{name}Result: TypeAlias = {made!r}\n")
            if without:
                self.query(get, f"{name}Filters", without)
        return (NOTICE.format(about="The records and bodies of the API by name.")
                + "from __future__ import annotations\n\nfrom typing import Any, Literal, TypeAlias, TypedDict\n\n\n"
                + "\n\n".join(self.types.text))


def main() -> None:
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent.parent / "openapi.json"
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else HERE.parent / "src" / "ams_client"
    document = Document(json.loads(source.read_text()))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_collections.py").write_text(document.collections_file())
    (folder / "types.py").write_text(document.types_file())
    (folder / "_version.py").write_text(
        NOTICE.format(about="The version of the document that the types are made from, and of this package.")
        + f"version = \"{document.document['info']['version']}\"\n")


main()
