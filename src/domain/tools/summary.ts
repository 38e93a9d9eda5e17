import type { ExactJson } from '../digest/exact-json.js';
import { editPathsOf, stringMember } from './tool-input.js';

const SUMMARY_LENGTH = 200;

/**
 * The one line that stands for a call in events and approvals (docs/design/tools.md): the command, else `Tool: a, b` of the edits,
 * else `Tool: value` of the first of `file_path`, `path`, `pattern`, else the tool name. At most 200 code points where cut.
 */
export function summarize(tool: string, input: ExactJson | undefined): string {
  const value = input ?? null;
  const command = stringMember(value, 'command');
  if (command !== null) return firstCharacters(command);
  const edits = editPathsOf(value);
  if (edits.length > 0) return firstCharacters(`${tool}: ${edits.join(', ')}`);
  for (const key of ['file_path', 'path', 'pattern']) {
    const named = stringMember(value, key);
    if (named !== null) return firstCharacters(`${tool}: ${named}`);
  }
  return tool;
}

function firstCharacters(text: string): string {
  if (text.length <= SUMMARY_LENGTH) return text;
  return Array.from(text.slice(0, SUMMARY_LENGTH * 2))
    .slice(0, SUMMARY_LENGTH)
    .join('');
}
