"""Reads a PDF page by page through Kreuzberg, with its recognition off; prints pages, words and milliseconds."""

import json
import sys
import time

from kreuzberg import ExtractionConfig, PageConfig, extract_file_sync

config = ExtractionConfig(use_cache=False, disable_ocr=True, pages=PageConfig(extract_pages=True))
started = time.perf_counter()
pages = extract_file_sync(sys.argv[1], "application/pdf", config=config).pages
milliseconds = (time.perf_counter() - started) * 1000
words = sum(len(page["content"].split()) for page in pages)
print(json.dumps({"pages": len(pages), "words": words, "milliseconds": milliseconds}))
