"""Text of PDF files, page by page, extracted in worker processes of their own."""
