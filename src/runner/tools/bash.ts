import { defineTool } from './canonical-tool.js';
import type { ToolOutcome } from './canonical-tool.js';
import { runShell } from './shell-process.js';
import type { ShellResult } from './shell-process.js';

export const BASH_DEFAULT_TIMEOUT_MS = 120_000;
export const BASH_MAX_TIMEOUT_MS = 600_000;
export const BASH_MAX_OUTPUT_CHARACTERS = 30_000;

/** Shell commands, each in a fresh shell at the root of the workspace: no state is carried from one call to the next. */
export const bashTool = defineTool({
  name: 'Bash',
  description:
    'Runs a command line with bash in /workspace and returns its output (standard output and error together, at most ' +
    `${BASH_MAX_OUTPUT_CHARACTERS} characters, head and tail) and exit code. Every call starts a new shell: directory changes ` +
    'and variables do not carry over. There is no terminal. Default limit 120 s, at most 600 s; at the limit ' +
    'the command is killed. Prefer Read, Edit, Write, Glob and Grep for files.',
  fields: {
    command: { type: 'string', description: 'The command line', minLength: 1 },
    timeout: { type: 'integer', description: 'Limit in milliseconds, at most 600000', minimum: 1, optional: true },
    description: { type: 'string', description: 'What the command does, in a few words', optional: true },
  },
  run: async (input, context) => {
    const timeoutMs = Math.min(context.timeoutMs ?? input.timeout ?? BASH_DEFAULT_TIMEOUT_MS, BASH_MAX_TIMEOUT_MS);
    const refusals = context.network?.refusals;
    const mark = refusals?.mark ?? 0;
    const result = await runShell({
      command: input.command,
      cwd: context.workspace.path,
      environment: context.environment,
      timeoutMs,
      signal: context.signal,
      maxOutputCharacters: BASH_MAX_OUTPUT_CHARACTERS,
    });
    return describe(result, timeoutMs, refusals?.since(mark) ?? null);
  },
});

/** @param refused connections that were refused meanwhile: what a tool prints of them does not say why */
function describe(result: ShellResult, timeoutMs: number, refused: string | null): ToolOutcome {
  const note = ending(result, timeoutMs);
  const output = result.output === '' ? '(no output)' : result.output;
  const ok = result.exitCode === 0 && !result.timedOut;
  const endings = refused === null ? `[${note}]` : `[${note}]\n[${refused}]`;
  return { text: ok ? output : `${output.replace(/\n$/, '')}\n${endings}`, isError: !ok, note };
}

function ending(result: ShellResult, timeoutMs: number): string {
  if (result.timedOut) return `killed at the limit of ${timeoutMs / 1000} s`;
  return result.exitCode === null ? `killed by ${result.exitSignal}` : `exit code ${result.exitCode}`;
}
