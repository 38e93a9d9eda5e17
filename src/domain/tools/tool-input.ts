import { mapItems } from '../map-items.js';
import type { ExactJson } from '../digest/exact-json.js';
import { isExactObject } from '../digest/exact-json.js';
import type { JsonObject } from '../json.js';

const PATH_KEYS = ['file_path', 'path', 'notebook_path', 'filePath'] as const;

/** The member as a string; any other type, and a member that is only inherited, counts as absent. */
export function stringMember(input: ExactJson, key: string): string | null {
  if (!isExactObject(input) || !Object.hasOwn(input, key)) return null;
  const value = input[key];
  return typeof value === 'string' ? value : null;
}

/** What a rule with `shell` reads (docs/design/tools.md). */
export function commandOf(input: ExactJson): string {
  return stringMember(input, 'command') ?? '';
}

/** `edits[].file_path`, strings only. */
export function editPathsOf(input: ExactJson): string[] {
  if (!isExactObject(input) || !Object.hasOwn(input, 'edits')) return [];
  const edits = input['edits'];
  if (!Array.isArray(edits)) return [];
  return edits.map((edit) => stringMember(edit, 'file_path')).filter((path) => path !== null);
}

/** What a rule with `paths` reads: the four named members, then every edit. */
export function pathsOf(input: ExactJson): string[] {
  const named = mapItems(PATH_KEYS, (key) => stringMember(input, key)).filter((path) => path !== null);
  return [...named, ...editPathsOf(input)];
}

/**
 * All that policy reads of an input, and nothing else: a policy judges this like the whole. Members of
 * other types count as absent, so they are left out.
 */
export function policyInputOf(input: ExactJson): JsonObject {
  const kept: JsonObject = {};
  for (const key of ['command', ...PATH_KEYS, 'cwd']) {
    const value = stringMember(input, key);
    if (value !== null) kept[key] = value;
  }
  const edits = editPathsOf(input);
  if (edits.length > 0) kept['edits'] = edits.map((path) => ({ file_path: path }));
  return kept;
}
