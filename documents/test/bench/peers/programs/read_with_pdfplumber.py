"""Reads the words of a PDF with their boxes through pdfplumber; prints pages, words and milliseconds."""

import json
import sys
import time

import pdfplumber

started = time.perf_counter()
words = 0
with pdfplumber.open(sys.argv[1]) as document:
    pages = len(document.pages)
    for page in document.pages:
        words += len(page.extract_words())
        page.close()
milliseconds = (time.perf_counter() - started) * 1000
print(json.dumps({"pages": pages, "words": words, "milliseconds": milliseconds}))
