import { defineTool } from './canonical-tool.js';
import { readText } from './file-text.js';
import { ToolFailure } from './tool-failure.js';

const DEFAULT_LINES = 2_000;
const MAX_LINE_CHARACTERS = 2_000;
const MAX_CHARACTERS = 60_000;

export const readTool = defineTool({
  name: 'Read',
  description:
    'Reads a text file in the workspace. Lines are returned with their numbers, up to 2000 lines from offset. ' +
    'Symbolic links are not followed.',
  fields: {
    file_path: { type: 'string', description: 'Path of the file, absolute or relative to /workspace', minLength: 1 },
    offset: { type: 'integer', description: 'First line to return, counted from 1', minimum: 1, optional: true },
    limit: { type: 'integer', description: 'Number of lines to return', minimum: 1, optional: true },
  },
  run: async (input, { workspace }) => {
    const { text, realPath } = await readText(workspace, input.file_path);
    if (text === '') return { text: `${realPath} is empty`, isError: false, note: 'read an empty file' };
    const lines = text.replace(/\n$/, '').split('\n');
    const first = input.offset ?? 1;
    if (first > lines.length) throw new ToolFailure(`${realPath} has only ${lines.length} lines`);
    const shown = numbered(lines, first, Math.min(input.limit ?? DEFAULT_LINES, DEFAULT_LINES));
    const last = first + shown.length - 1;
    const more = last < lines.length ? `\n(${lines.length - last} more lines; continue with offset ${last + 1})` : '';
    return { text: shown.join('\n') + more, isError: false, note: `read ${shown.length} lines` };
  },
});

function numbered(lines: string[], first: number, limit: number): string[] {
  const shown: string[] = [];
  let characters = 0;
  for (const [index, line] of lines.slice(first - 1, first - 1 + limit).entries()) {
    const cut =
      line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}… (line cut)` : line;
    const entry = `${String(first + index).padStart(6)}\t${cut}`;
    characters += entry.length + 1;
    if (characters > MAX_CHARACTERS && shown.length > 0) break;
    shown.push(entry);
  }
  return shown;
}
