"""One call of every tool, with arguments that make it work on the notes below, in this order."""

from typing import Any, Final

NOTES: Final = {
    "Ideas.md": "---\ntags: [tea]\nstatus: open\nrank: 1\n---\n# Ideas\n\nTea grows in the [[Garden]].\n\n"
    "## Later\n\nTODO: water the plants\n",
    "Projects/Garden.md": "# Garden\n\nTomatoes need sun #garden\n\n- [ ] order soil 📅 2030-01-01\n",
    "Projects/Shed.md": "# Shed\n\nTools hang on the wall.\n",
    "Long.md": "# Long\n\n## First\n\nOne.\n\n## Second\n\nTwo.\n",
    "Spare.md": "# Spare\n\nMore of the same.\n",
    **{f"Unneeded {number}.md": f"Nobody needs {number}.\n" for number in range(3)},
    # More passages than are embedded without a worker process.
    **{f"Diary/Day {day}.md": f"# Day {day}\n\nIt was day {day}, and the weather was fair.\n" for day in range(80)},
}

CASES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("find", {"pattern": "**/*.md"}),
    ("grep", {"pattern": "(?<=TODO: )water", "filePattern": "*.md"}),  # look-behind: only the worker can
    ("read", {"path": "Ideas.md"}),
    ("search", {"query": "tomatoes sun"}),
    ("query", {"tags": ["garden"]}),
    ("codebase_search", {"query": "where do tomatoes grow"}),
    ("context_pack", {"question": "what do tomatoes need"}),
    ("search_notes", {"query": "tomatoes"}),
    ("search_files", {"pattern": "Tomatoes"}),
    ("list_files", {"pattern": "*.md"}),
    ("get_file_info", {"path": "Ideas.md"}),
    ("read_file", {"path": "Ideas.md"}),
    ("resolve_note", {"name": "Garden"}),
    ("is_available", {"name": "A note that nobody has"}),
    ("read_note", {"name": "Ideas"}),
    ("get_metadata", {"name": "Ideas"}),
    ("find_related", {"name": "Garden"}),
    ("search_by_tags", {"tags": ["tea"]}),
    ("search_by_properties", {"properties": {"status": "open"}}),
    ("list_tags", {}),
    ("note_info", {"path": "Ideas.md"}),
    ("vault_report", {}),
    ("tasks", {"status": "todo"}),
    ("create_note", {"path": "New.md", "content": "# New\n"}),
    ("create_folder", {"path": "Archive"}),
    ("edit", {"path": "New.md", "edits": [{"old_text": "# New", "new_text": "# Newer"}]}),
    ("edit_file", {"path": "New.md", "old_text": "# Newer", "new_text": "# Newest"}),
    ("apply_patch", {"path": "New.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# Old"}]}),
    ("modify_note", {"path": "New.md", "operation": "append", "content": "More.\n"}),
    ("write_file", {"path": "Plain.md", "content": "Plain.\n"}),
    ("update_note", {"name": "New", "content": "# New again\n"}),
    ("await_decision", {"path": "Awaited.md", "content": "Awaited.\n"}),
    ("set_properties", {"paths": ["Ideas.md"], "properties": {"status": "done"}}),
    ("add_tag", {"name": "Ideas", "tag": "kettle"}),
    ("remove_tag", {"name": "Ideas", "tag": "kettle"}),
    ("rename_tag", {"tag": "tea", "new_tag": "leaf"}),
    ("rename_property", {"property": "rank", "new_name": "place"}),
    ("rename_heading", {"path": "Ideas.md", "heading": "Later", "new_heading": "Soon"}),
    ("edit_tasks", {"action": "add", "texts": ["sow"], "to": "Projects/Garden.md"}),
    ("create_note", {"path": "Board.canvas", "kind": "file", "content": "{}"}),
    ("edit_canvas", {"path": "Board.canvas", "operations": [{"action": "add", "text": "sow"}]}),
    ("daily_note", {"append": "It rained.\n"}),
    ("split_note", {"path": "Long.md", "level": 2}),
    ("merge_notes", {"sources": ["Spare.md"], "target": "New.md"}),
    ("move", {"moves": [{"source": "Plain.md", "destination": "Archive/Plain.md"}]}),
    ("move_file", {"source": "Archive/Plain.md", "destination": "Plain.md"}),
    ("organize_note", {"source": "Plain.md", "destination": "Archive"}),
    ("delete", {"paths": ["Unneeded 0.md"]}),
    ("delete_file", {"path": "Unneeded 1.md"}),
    ("delete_note", {"name": "Unneeded 2"}),
    (
        "chain",
        {
            "calls": [
                {"name": "made", "tool": "create_note", "arguments": {"path": "Chained.md", "content": "Chained.\n"}}
            ]
        },
    ),
    ("templates", {"action": "list"}),
    ("history", {"action": "list"}),
    ("draft", {"action": "begin"}),
    ("draft", {"action": "discard"}),
    ("search_vectors", {"query": "growing vegetables"}),
    ("web_search", {"query": "tomatoes"}),
    ("web_fetch", {"url": "{web}/page", "format": "markdown"}),
    ("run_terminal_command", {"command": "git --version"}),
    ("words", {"text": "three small words"}),
    ("letters", {"text": "tea"}),
    ("mcp_loader", {}),
    ("mcp__greeter__greet", {"name": "Ada"}),
)
