"""Conversations: kept in one SQLite file as they happen, found again, exported.

store = open_store()                      # never fails: see Store.take_notices
talk = store.start(host="SmolLM2", mode="basic")
store.say(talk.id, "What is 2 + 3?")
reply = store.reply(talk.id)
reply.write("5")                          # on disk before it returns
reply.done("5", record=answer.record())
store.conversations(); store.search("2 + 3"); store.messages(talk.id)
"""

from assistant.conversations.export import (
    export_json,
    export_markdown,
    import_json,
    write_export,
)
from assistant.conversations.opening import default_path, open_store
from assistant.conversations.problems import StorageProblem
from assistant.conversations.records import Conversation, Found, Message, Role, State
from assistant.conversations.replies import Reply
from assistant.conversations.store import Store

__all__ = [
    "Conversation",
    "Found",
    "Message",
    "Reply",
    "Role",
    "State",
    "StorageProblem",
    "Store",
    "default_path",
    "export_json",
    "export_markdown",
    "import_json",
    "open_store",
    "write_export",
]
