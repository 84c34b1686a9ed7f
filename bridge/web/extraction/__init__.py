"""The part of a page that a person would read, as Markdown or text. Runs in a worker process: pages are hostile."""
