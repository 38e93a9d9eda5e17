import { analyseLine } from '../policy/shell/analyse-line.js';
import { compileAllowPrefixes, coveringPrefix } from '../policy/shell/coverage.js';
import { commandOf } from '../tools/tool-input.js';
import type { ToolCall } from '../policy/verdict.js';

const READ_SAFE_TOOLS = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead']);
const READ_SAFE_COMMANDS = [
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'grep',
  'rg',
  'pwd',
  'git status',
  'git log',
  'git diff',
  'git show',
  'git branch',
  'git blame',
];
const FORBIDDEN = /[;|&`$()<>\n]/;
const PREFIXES = compileAllowPrefixes(READ_SAFE_COMMANDS);

/**
 * Whether a call may pass the read-only trust tier (docs/design/gate.md). A command has to pass twice: by its text, and as parsed, where
 * it is one simple command that a read-only prefix covers. Passing does not allow the call: policy and approvals still apply.
 */
export function isReadSafe({ tool, input }: ToolCall): boolean {
  if (READ_SAFE_TOOLS.has(tool)) return true;
  return tool === 'Bash' && isReadSafeCommand(commandOf(input));
}

function isReadSafeCommand(command: string): boolean {
  const text = command.trim();
  if (FORBIDDEN.test(text) || !READ_SAFE_COMMANDS.some((prefix) => startsAtBoundary(text, prefix))) return false;
  const line = analyseLine(command);
  const [only, ...others] = line.commands;
  if (line.problem !== null || only === undefined || others.length > 0 || line.redirects.length > 0) return false;
  return coveringPrefix(PREFIXES, only) !== null;
}

function startsAtBoundary(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const next = text[prefix.length];
  return next === undefined || next === ' ' || next === '\t';
}
