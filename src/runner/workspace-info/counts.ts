import type { FileHandle } from 'node:fs/promises';
import { RE2JS } from 're2js';
import { isBinary, readBounded } from '../tools/file-text.js';
import { cutNotice, openSearch } from '../tools/search-scope.js';
import { ToolFailure } from '../tools/tool-failure.js';
import type { WorkspaceRoot } from '../tools/workspace-root.js';

const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;
const MAX_PATTERN = 1_000;
const NEVER = new AbortController().signal;

/** Regular files of the workspace, as a sentence; `.git` and `node_modules` are left out, as Glob and Grep leave them out. */
export async function countFiles(workspace: WorkspaceRoot): Promise<string> {
  await using scope = await openSearch(workspace, '.', '', NEVER);
  let files = 0;
  const found = scope.walk.files();
  while ((await found.next()).done !== true) files += 1;
  return `${files} files${cutNotice(scope.walk, null)}`;
}

/** Lines that match an RE2 expression, and the text files that hold them. @throws ToolFailure for a pattern that cannot be read */
export async function countMatches(workspace: WorkspaceRoot, pattern: unknown): Promise<string> {
  const expression = compile(pattern);
  await using scope = await openSearch(workspace, '.', '', NEVER);
  let [lines, files] = [0, 0];
  for await (const file of scope.walk.files()) {
    const text = await readText(file.open);
    const found = text.split('\n').filter((line) => expression.test(line)).length;
    lines += found;
    if (found > 0) files += 1;
  }
  return `${lines} lines in ${files} files${cutNotice(scope.walk, null)}`;
}

function compile(pattern: unknown): RE2JS {
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN) {
    throw new ToolFailure(`pattern: must be a text of 1 to ${MAX_PATTERN} characters`);
  }
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new ToolFailure(`the pattern cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Empty for a file that is not text, is over 4 MiB, or vanished between listing and opening. */
async function readText(open: () => Promise<FileHandle>): Promise<string> {
  let handle;
  try {
    handle = await open();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
  try {
    const bytes = await readBounded(handle, MAX_SEARCHED_BYTES);
    return bytes === null || isBinary(bytes) ? '' : bytes.toString('utf8');
  } finally {
    await handle.close();
  }
}
