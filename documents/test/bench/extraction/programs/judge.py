"""Scores with omni-extract-bench what stands on standard input: a list of {got, gold, schema}; prints a list of F1."""
import json
import sys

from omni_extract_bench import score

print(json.dumps([score(one["got"], one["gold"], one["schema"])["f1"] for one in json.load(sys.stdin)]))
