import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { RE2JS } from 're2js';
import { codeOf } from '../../domain/system-error.js';
import { messageOf } from '../log/failure-text.js';
import type { WorkspaceRoot } from './workspace-root.js';
import { defineTool } from './canonical-tool.js';
import { isBinary, readBounded } from './file-text.js';
import { compileGlob } from './glob-pattern.js';
import { cutNotice, openSearch } from './search-scope.js';
import { ToolFailure } from './tool-failure.js';

const MAX_LINES = 250;
const MAX_LINE_CHARACTERS = 400;
const MAX_CHARACTERS = 30_000;
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;
const MAX_PATTERN = 1_000;

export const grepTool = defineTool({
  name: 'Grep',
  description:
    'Searches the text files of the workspace line by line with a regular expression (RE2 syntax: no look-around, no back ' +
    `references) and returns path:line:text, at most ${MAX_LINES} lines. .git and node_modules are left out unless named; ` +
    'binary files, files over 4 MiB and links are skipped.',
  fields: {
    pattern: { type: 'string', description: 'The regular expression', minLength: 1 },
    path: {
      type: 'string',
      description: 'File or folder to search; the workspace when absent',
      minLength: 1,
      optional: true,
    },
    glob: {
      type: 'string',
      description: 'Search only files that match, for example *.ts',
      minLength: 1,
      optional: true,
    },
    case_insensitive: { type: 'boolean', description: 'Ignore case', optional: true },
    files_only: { type: 'boolean', description: 'Return only the paths of matching files', optional: true },
  },
  run: async (input, { workspace, signal }) => {
    const expression = compilePattern(input.pattern, input.case_insensitive === true);
    const report = new MatchReport((line) => expression.test(line), input.files_only === true);
    const target = input.path ?? '.';
    if (await isFile(workspace, target)) {
      await using file = await workspace.openFile(target, constants.O_RDONLY);
      await report.search(file.handle, file.realPath);
      return report.outcome(report.full ?? '');
    }
    const included = input.glob === undefined ? (): boolean => true : compileGlob(input.glob);
    await using scope = await openSearch(workspace, target, input.glob ?? '', signal);
    for await (const file of scope.walk.files()) {
      if (!included(file.relativePath)) continue;
      const handle = await openIfThere(file.open);
      if (handle === null) continue;
      try {
        await report.search(handle, `${scope.realPath}/${file.relativePath}`);
      } finally {
        await handle.close();
      }
      if (report.full !== null || scope.walk.outOfTime) break;
    }
    return report.outcome(cutNotice(scope.walk, report.full));
  },
});

class MatchReport {
  full: string | null = null;
  #lines: string[] = [];
  #characters = 0;
  #files = 0;
  #skipped = 0;

  constructor(
    private readonly matches: (line: string) => boolean,
    private readonly filesOnly: boolean,
  ) {}

  async search(handle: FileHandle, name: string): Promise<void> {
    const bytes = await readBounded(handle, MAX_SEARCHED_BYTES);
    if (bytes === null || isBinary(bytes)) {
      this.#skipped += 1;
      return;
    }
    const before = this.#lines.length;
    for (const [index, line] of bytes.toString('utf8').split('\n').entries()) {
      if (!this.matches(line)) continue;
      this.#add(this.filesOnly ? name : `${name}:${index + 1}:${line.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}`);
      if (this.filesOnly || this.full !== null) break;
    }
    if (this.#lines.length > before) this.#files += 1;
  }

  outcome(notice: string): { text: string; isError: boolean; note: string } {
    const list = this.#lines.length === 0 ? 'no line matches' : this.#lines.join('\n');
    const skipped = this.#skipped === 0 ? '' : `\n(${this.#skipped} binary or large files skipped)`;
    return { text: list + skipped + notice, isError: false, note: `matched in ${this.#files} files` };
  }

  #add(line: string): void {
    this.#characters += line.length + 1;
    this.#lines.push(line);
    if (this.#lines.length >= MAX_LINES) this.full = `the limit of ${MAX_LINES} lines`;
    if (this.#characters >= MAX_CHARACTERS) this.full = `the limit of ${MAX_CHARACTERS} characters`;
  }
}

function compilePattern(pattern: string, ignoreCase: boolean): RE2JS {
  if (pattern.length > MAX_PATTERN) throw new ToolFailure(`the pattern is longer than ${MAX_PATTERN} characters`);
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw new ToolFailure(`the pattern cannot be read: ${messageOf(error)}`);
  }
}

/** Links and missing entries are left to the opening that follows, which refuses them with a reason. */
async function isFile(workspace: WorkspaceRoot, target: string): Promise<boolean> {
  try {
    const directory = await workspace.openDirectory(target);
    await directory[Symbol.asyncDispose]();
    return false;
  } catch (error) {
    if (error instanceof ToolFailure) return true;
    throw error;
  }
}

/** A file may vanish, or become a link or unreadable, between listing and opening; a search passes over it. */
async function openIfThere(open: () => Promise<FileHandle>): Promise<FileHandle | null> {
  try {
    return await open();
  } catch (error) {
    if (codeOf(error) !== undefined) return null;
    throw error;
  }
}
