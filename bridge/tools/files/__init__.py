"""The file tools (seed S, and seed O for `read_file` and `edit_file`)."""

import asyncio

from bridge import __version__
from bridge.index.search.note_search import NoteSearch
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords
from bridge.index.texts.grep import Grep
from bridge.toolkit.provider import ToolProvider
from bridge.tools.files.create_folder import CreateFolderTool
from bridge.tools.files.create_note import CreateNoteTool
from bridge.tools.files.creation import Creation
from bridge.tools.files.delete_file import DeleteFileTool
from bridge.tools.files.deletion_plan import Removal
from bridge.tools.files.edit_file import EditFileTool
from bridge.tools.files.get_file_info import GetFileInfoTool
from bridge.tools.files.list_files import ListFilesTool
from bridge.tools.files.modify_note import ModifyNoteTool
from bridge.tools.files.move_file import MoveFileTool
from bridge.tools.files.organize_note import OrganizeNoteTool
from bridge.tools.files.read_file import ReadVaultFileTool
from bridge.tools.files.search_files import SearchFilesTool
from bridge.tools.files.search_notes import SearchNotesTool
from bridge.tools.files.write_file import WriteFileTool
from bridge.tools.services import ToolServices


class FilesProvider(ToolProvider):
    """Search, list, read, write, move and delete files.

    Args:
        services: What the tools are built from.
        grep: Searches the text of files.
    """

    def __init__(self, services: ToolServices, grep: Grep) -> None:
        files, creation = services.files, Creation(services)
        texts = SearchTexts(services.everything.texts, files, services.clock)
        self._search = NoteSearch(services.index, StoredWords(services.everything.search), texts)
        super().__init__(
            id="files",
            name="Files",
            description="Search, list, read, write, move and delete the files of the vault.",
            version=__version__,
            tools=[
                SearchNotesTool(files, self._search),
                SearchFilesTool(files, grep),
                ListFilesTool(files, services.index, services.clock),
                GetFileInfoTool(files, services.index),
                ReadVaultFileTool(files, services.handed),
                CreateNoteTool(files, creation),
                CreateFolderTool(files),
                ModifyNoteTool(files),
                EditFileTool(files),
                WriteFileTool(files, creation),
                OrganizeNoteTool(services),
                MoveFileTool(services),
                DeleteFileTool(files, Removal(services)),
            ],
        )

    async def shutdown(self) -> None:
        """End the processes that searches ran in."""
        await asyncio.to_thread(self._search.close)
