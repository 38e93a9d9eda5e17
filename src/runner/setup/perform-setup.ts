import { namedCommand, SETUP_TOOL, setupCallId } from '../../domain/setup/setup-call.js';
import type { RefusalLog } from '../bridge/refusal-log.js';
import type { ContractClient } from '../contract/contract-client.js';
import type { Narrator } from '../contract/narrator.js';
import { EXIT } from '../exit-codes.js';
import type { ExitCode } from '../exit-codes.js';
import type { SetupSettings } from '../launch/setup-settings.js';
import type { RunnerLog } from '../log/runner-log.js';
import { BASH_MAX_OUTPUT_CHARACTERS } from '../tools/bash.js';
import { runShell } from '../tools/shell-process.js';
import type { ShellResult } from '../tools/shell-process.js';

/** Of what was refused while a command ran, in the sentence about its failure. */
const MAX_REFUSED_CHARACTERS = 1_000;

/** What the commands of a setup are run with. */
export interface SetupContext {
  contract: ContractClient;
  narrator: Narrator;
  /** Where commands start. */
  cwd: string;
  environment: Record<string, string>;
  /** What the run's proxy refused. */
  refusals: RefusalLog;
  signal: AbortSignal;
  log: RunnerLog;
  /** Takes what commands print. */
  print: (text: string) => void;
}

/** Why a setup did not come to its end, for people, and with which code the runner leaves. */
interface Shortfall {
  reason: string;
  exitCode: ExitCode;
}

/**
 * Prepares the workspace: asks the gate for each command, then runs it (docs/design/setup.md). The first that is denied or fails is the
 * last. The time that people take to decide does not count.
 * @returns the exit code of the runner: 0 when every command succeeded
 */
export async function performSetup(setup: SetupSettings, context: SetupContext): Promise<ExitCode> {
  const { narrator, log } = context;
  const startedAt = performance.now();
  // Waited for: the first question to the gate goes another way, and must not stand before it in the timeline.
  await narrator.tell({ actor: 'harness', type: 'setup.started', data: { commands: setup.commands.length } });
  const shortfall = await performAll(setup, context);
  const data = { ok: shortfall === null, duration_ms: Math.round(performance.now() - startedAt) };
  const reason = shortfall === null ? {} : { reason: shortfall.reason };
  void narrator.tell({ actor: 'harness', type: 'setup.finished', data: { ...data, ...reason } });
  await narrator.flush();
  log(shortfall === null ? 'the workspace is prepared' : 'the workspace could not be prepared');
  return shortfall?.exitCode ?? EXIT.done;
}

async function performAll({ commands, timeoutSecs }: SetupSettings, context: SetupContext): Promise<Shortfall | null> {
  let leftMs = timeoutSecs * 1000;
  for (const index of commands.keys()) {
    const command = await allowed(commands, index, context);
    if (typeof command !== 'string') return command;
    const { mark } = context.refusals;
    const beganAt = performance.now();
    const result = await runShell({
      command,
      cwd: context.cwd,
      environment: context.environment,
      timeoutMs: Math.max(1, Math.ceil(leftMs)),
      signal: context.signal,
      maxOutputCharacters: BASH_MAX_OUTPUT_CHARACTERS,
    });
    context.signal.throwIfAborted();
    const durationMs = Math.round(performance.now() - beganAt);
    leftMs -= durationMs;
    tellEnd(index, result, durationMs, context);
    const refused = tellRefused(mark, context);
    if (result.timedOut)
      return {
        reason: `${namedCommand(commands, index)} was under way when the ${timeoutSecs} s of the setup were over${refused}`,
        exitCode: EXIT.setupOutOfTime,
      };
    if (result.exitCode !== 0)
      return { reason: `${namedCommand(commands, index)} ${howItEnded(result)}${refused}`, exitCode: EXIT.setupFailed };
  }
  return null;
}

/** The command line to run, as the gate allowed it. */
async function allowed(
  commands: readonly string[],
  index: number,
  { contract, signal }: SetupContext,
): Promise<string | Shortfall> {
  const command = commands[index] ?? '';
  const answer = await contract.permission({ toolCallId: setupCallId(index), tool: SETUP_TOOL, input: { command } });
  signal.throwIfAborted();
  if (answer.decision === 'deny')
    return {
      reason: `${namedCommand(commands, index)} was denied: ${answer.message}`,
      exitCode: EXIT.setupFailed,
    };
  const updated = answer.updatedInput?.['command'];
  return typeof updated === 'string' ? updated : command;
}

function tellEnd(index: number, result: ShellResult, durationMs: number, { narrator, print, log }: SetupContext): void {
  const id = setupCallId(index);
  const ok = result.exitCode === 0 && !result.timedOut;
  if (result.output !== '') print(result.output.endsWith('\n') ? result.output : `${result.output}\n`);
  log(`${id} ${howItEnded(result)}`);
  const data = { index, tool_call_id: id, exit_code: result.exitCode, duration_ms: durationMs };
  void narrator.tell({ actor: 'harness', type: 'setup.command', data });
  void narrator.toolCompleted(id, SETUP_TOOL, ok, howItEnded(result));
}

/** What a tool prints of a refused connection does not say why. @returns the end of a sentence about the command; empty when nothing was */
function tellRefused(mark: number, { refusals, print }: SetupContext): string {
  const refused = refusals.since(mark);
  if (refused === null) return '';
  print(`[${refused}]\n`);
  return ` (${refused.slice(0, MAX_REFUSED_CHARACTERS).toWellFormed()})`;
}

function howItEnded({ exitCode, exitSignal }: ShellResult): string {
  return exitCode === null ? `was killed by ${exitSignal}` : `ended with exit code ${exitCode}`;
}
