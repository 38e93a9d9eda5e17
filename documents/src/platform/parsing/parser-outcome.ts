import type { JailLimit, ParseFailure } from '../../domain/page-model.js';
import type { ConfinedResult } from '../../../../src/platform/host/confine.js';
import type { ParserLimits } from './parser-limits.js';
import type { ParserOutcome } from './parser-protocol.js';
import type { AnswerReader } from './read-answer.js';

const MIB = 1024 * 1024;

const WORDS: Readonly<Record<string, (limits: ParserLimits) => string>> = {
  wall_time: ({ timeoutMs, silenceMs }) => `${Math.min(timeoutMs, silenceMs ?? timeoutMs) / 1000} s without an answer`,
  cpu_time: ({ cpuSeconds }) => `${cpuSeconds} s of processor time`,
  memory: ({ memoryMb }) => `${memoryMb} MiB of memory`,
  processes: ({ processes }) => `${processes} processes`,
  open_files: ({ openFiles }) => `${openFiles} open files`,
  written_bytes: ({ writtenBytes }) => `${writtenBytes / MIB} MiB written`,
  output: ({ maxOutputBytes }) => `${maxOutputBytes / MIB} MiB of results`,
};

/** What a call came to whose program has ended, with its answer or without. */
export function outcomeOf<T>(answer: AnswerReader<T>, result: ConfinedResult, limits: ParserLimits): ParserOutcome<T> {
  if (answer.fault !== null) return { items: answer.items, failure: answer.fault };
  const limit = result.limit ?? limitOfErrors(result);
  if (limit !== null) {
    const message = `the parser reached its limit of ${WORDS[limit]?.(limits) ?? limit}`;
    return { items: answer.items, failure: { kind: 'limit', limit, message } };
  }
  if (answer.end !== null && result.exitCode === 0) return { items: answer.items, failure: answer.end.failure };
  return { items: answer.items, failure: crash(result) };
}

/** Programs of others say on standard error that a limit stopped them, and end before anybody can look. */
function limitOfErrors({ exitCode, stderr }: ConfinedResult): JailLimit | null {
  if (exitCode === 0) return null;
  const text = stderr.subarray(0, 65_536).toString('latin1');
  if (/out of memory|cannot allocate memory|bad_alloc|array buffer allocation failed/i.test(text)) return 'memory';
  if (/EMFILE|too many open files/i.test(text)) return 'open_files';
  if (/ENOSPC|no space left on device|file too large/i.test(text)) return 'written_bytes';
  return /resource temporarily unavailable|EAGAIN|cannot fork/i.test(text) ? 'processes' : null;
}

function crash({ exitCode }: ConfinedResult): ParseFailure {
  const how = exitCode === null ? 'was killed' : `ended with exit code ${exitCode}`;
  return { kind: 'crashed', message: `the parser ${how} before its answer was whole` };
}
