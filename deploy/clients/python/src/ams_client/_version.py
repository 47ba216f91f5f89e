"""The version of the document that the types are made from, and of this package.

Made by "make clients" from deploy/clients/openapi.json: do not edit.
"""

version = "1.1.0"
