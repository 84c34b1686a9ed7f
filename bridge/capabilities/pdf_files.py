"""The text of the vault's PDF files, found by searches and read by `read`."""

from bridge.capabilities.capability import Capability
from bridge.index.pdfs.pdf_index import PdfIndex
from bridge.pdf.reader import PdfReader
from bridge.policy.redaction import hide_secrets
from bridge.records.folder import cache_folder


class PdfFiles(Capability):
    """The texts, as they were at the last stop. No file is read before the bridge has started."""

    async def open(self) -> None:
        """Build them."""
        base = self.core.base
        pdfs = PdfIndex(
            self.core.index,
            base.files,
            self.core.trust.grants.closed,
            base.clock,
            PdfReader(base.clock, hide_secrets),
            folder=cache_folder(base.root.path),
            wanted=lambda: base.settings.current.search_pdfs,
        )
        base.stop_in_thread(pdfs.close)
        base.settings.on_change(lambda _change: pdfs.changed())
        base.changed.on(lambda path, _change: pdfs.changed([path]))
        base.applied.on(lambda plan: pdfs.changed(plan.targets))
        base.pdfs.fill(pdfs)
        if not base.brief:
            base.started.on(pdfs.start)
