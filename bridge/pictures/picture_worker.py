"""The worker process in which one picture, or some pages of one PDF file, are made ready to be shown.

A request has the file's bytes, how many bytes the result may have (`most`) and, of a PDF, the page (`page`, from 0);
further pages of the same PDF are asked for without its bytes.
It is answered with the result's bytes, `mimeType`, `width`, `height` and `original`, or with `failed`.
"""

from typing import Any, Final

from bridge.pdf.pdf_worker import DAMAGED, PASSWORD
from bridge.pictures.scaling import LONGEST_EDGE, Scaled, TooLarge, fitted, scaled
from bridge.workers.frames import answer_requests
from bridge.workers.memory import limit_address_space, watch_resident_memory
from bridge.workers.priority import LATER, step_back

ADDRESS_SPACE: Final = 2 << 30
RESIDENT: Final = 1 << 30
"""Bytes that the process may take: the most pixels that are decoded take 400 MB, and as much while they are scaled."""
NO_ENGINE: Final = "no engine"
TOO_LARGE: Final = "too large"


class Session:
    """The one file that this process shows."""

    def __init__(self) -> None:
        self._document: Any = None

    def answer(self, header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Return the answer to one request."""
        try:
            page = header.get("page")
            found = scaled(data, header["most"]) if page is None else self._drawn(data, page, header["most"])
        except TooLarge:
            return {"failed": TOO_LARGE}, b""
        except ImportError:
            return {"failed": NO_ENGINE}, b""
        except Exception as error:  # noqa: BLE001 - whatever a file does to a library is its own fault
            return {"failed": PASSWORD if "password" in str(error).lower() else DAMAGED}, b""
        told = {"mimeType": found.mime_type, "width": found.width, "height": found.height, "original": found.original}
        return told, found.data

    def _drawn(self, data: bytes, index: int, most: int) -> Scaled:
        """Return a page of a PDF file, counted from 0, as a picture of so many bytes at most."""
        if data:
            import pypdfium2  # noqa: PLC0415 - an extra

            self._document = pypdfium2.PdfDocument(data)
        page = self._document[index]
        scale = LONGEST_EDGE / max(*page.get_size(), 1.0)
        drawn = fitted(page.render(scale=scale).to_pil(), most)
        page.close()
        return drawn


def main() -> None:
    """Answer requests until there are no more."""
    step_back(LATER)
    limit_address_space(ADDRESS_SPACE)
    watch_resident_memory(RESIDENT)
    import PIL.Image  # noqa: F401, PLC0415 - what cannot be imported says so before any request

    answer_requests(Session().answer)


if __name__ == "__main__":
    main()
