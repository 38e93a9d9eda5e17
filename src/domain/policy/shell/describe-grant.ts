import { isMcpName } from '../../tools/mcp-name.js';
import { isCanonicalTool } from '../../tools/vocabulary.js';
import { analyseLine } from './analyse-line.js';
import { baseName } from './words/wrappers.js';
import { grammarOf } from './grants/programs.js';
import { runsScripts } from './grants/script-key.js';

const STILL_ASK = 'What forces, deletes or reaches further, such as `--force`, still asks.';

/**
 * What an answer "for this run" would cover, in a sentence for the person who decides.
 *
 * @param keys scope keys of one call, at least one
 */
export function describeGrant(tool: string, keys: readonly string[]): string {
  const files = keys.filter((key) => key !== tool && isTool(key));
  const commands = commandKeys(tool, keys);
  if (commands.length === 0 && files.length === 0) return `Every call of ${quoted(tool)}, whatever its input.`;
  const covered = [...commands.map(describeCommand), ...files.map(describeFiles)];
  const together = covered.length > 1 ? ', each alone or together in one line' : '';
  return `${capital(covered.join('; '))}${together}.${commands.length > 0 ? ` ${STILL_ASK}` : ''}`;
}

/** Up to two lines that such a grant covers, made up from its keys; none for a tool that runs no commands. */
export function madeUpExamples(tool: string, keys: readonly string[]): string[] {
  const commands = commandKeys(tool, keys);
  if (commands.length === 0) return [];
  return ['', ' --verbose', ' --quiet', ' another']
    .map((added) => commands.map((key) => `${key}${added}`).join(' && '))
    .filter((line) => isCovered(line, commands))
    .slice(0, EXAMPLES);
}

/** Calls that stand as examples beside a sentence. */
export const EXAMPLES = 2;

function isCovered(line: string, keys: readonly string[]): boolean {
  const { problem, commands } = analyseLine(line);
  if (problem !== null) return false;
  return commands.every(({ grant }) => {
    const found = grant();
    return 'key' in found && keys.includes(found.key);
  });
}

function commandKeys(tool: string, keys: readonly string[]): string[] {
  return keys.filter((key) => key !== tool && !isTool(key));
}

function describeCommand(key: string): string {
  const [program, ...rest] = key.split(' ') as [string, ...string[]];
  if (rest.length === 0) {
    const further = grammarOf(baseName(program)) === null ? 'a file, an option or a text' : 'an option';
    return `every ${quoted(program)} with nothing or ${further} as its first argument`;
  }
  return `every ${quoted(`${key} …`)} (${program} ${naming(program)} ${rest.join(' ')})`;
}

function naming(program: string): string {
  const name = baseName(program);
  const grammar = grammarOf(name);
  if (grammar !== null) return grammar.runs.has('*') ? 'running' : 'with the subcommand';
  return runsScripts(name) ? 'running' : 'with the first argument';
}

function describeFiles(tool: string): string {
  return `files for which such a line needs ${quoted(tool)}`;
}

function isTool(key: string): boolean {
  return isCanonicalTool(key) || isMcpName(key);
}

function quoted(text: string): string {
  return `\`${text}\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
