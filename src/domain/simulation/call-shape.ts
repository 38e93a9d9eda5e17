import { resolvePath } from '../policy/paths/path.js';
import { analyseLine } from '../policy/shell/analyse-line.js';
import type { PolicyVerdict, ShellPartView, ToolCall } from '../policy/verdict.js';
import { commandOf, pathsOf } from '../tools/tool-input.js';

const SHOWN_WORDS = 6;
const SHOWN_FOLDERS = 3;
const NOT_LITERAL = '(not a literal)';

/**
 * What calls that changed alike have in common, for grouping: of a command the allow prefixes that cover its parts, or their
 * programs; of a path the upper folders. Null when the call has neither.
 */
export function callShape(view: ToolCall, before: PolicyVerdict, after: PolicyVerdict): string | null {
  if (commandOf(view.input) !== '') return commandShape(commandOf(view.input), before, after);
  const [path] = pathsOf(view.input);
  if (path === undefined) return null;
  return pathShape(after.explanation.subject ?? before.explanation.subject ?? path);
}

function commandShape(command: string, before: PolicyVerdict, after: PolicyVerdict): string {
  const parts = [after.explanation.parts, before.explanation.parts];
  const [listed, other] = parts[0]!.length > 0 ? parts : [parts[1], undefined];
  const words = listed!.length > 0 ? wordsOfParts(listed!, other ?? []) : programsOf(command);
  const distinct = [...new Set(words)].sort();
  if (distinct.length <= SHOWN_WORDS) return distinct.join(', ');
  return `${distinct.slice(0, SHOWN_WORDS).join(', ')} and ${distinct.length - SHOWN_WORDS} more`;
}

/** Both policies see the same parts in the same order, so each part may be named by the prefix of either. */
function wordsOfParts(parts: readonly ShellPartView[], others: readonly ShellPartView[]): string[] {
  return parts.flatMap((part, i) => {
    if (part.kind !== 'command') return [];
    return [part.covered_by ?? others[i]?.covered_by ?? part.subject ?? NOT_LITERAL];
  });
}

function programsOf(command: string): string[] {
  return analyseLine(command).commands.map(({ grant, words }) => {
    const found = grant();
    // Through wrappers; without the subcommand, which would make a group of every file that was searched.
    return 'key' in found ? found.key.split(' ', 1)[0]! : (words[0] ?? NOT_LITERAL);
  });
}

function pathShape(text: string): string {
  const { path } = resolvePath(text);
  if (path === null) return '(outside the workspace)';
  const folders = path.split('/').slice(1, -1);
  return `/${folders
    .slice(0, SHOWN_FOLDERS)
    .map((folder) => `${folder}/`)
    .join('')}*`;
}
