import { realpath, stat } from 'node:fs/promises';
import type { JailLimit, ParseFailure } from '../../domain/page-model.js';
import { DocsvcError } from '../../domain/errors.js';
import type {
  Confine,
  ConfinedCommand,
  ConfinedLimits,
  ConfinedResult,
} from '../../../../src/platform/host/confine.js';
import { installationFolder } from '../../../../src/platform/host/installation-folder.js';
import type { ParserOutcome } from './parser-protocol.js';
import { INSIDE } from './parser-protocol.js';
import type { ParserName, ParserProgram } from './parser-programs.js';
import { PARSER_PROGRAMS } from './parser-programs.js';
import { readAnswer } from './read-answer.js';

const MIB = 1024 * 1024;
const UIDS = 16;
const ENVIRONMENT = { TMPDIR: INSIDE.scratch, OMP_THREAD_LIMIT: '1', UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' };

/** What a parser may use. */
export interface ParserLimits extends ConfinedLimits {
  timeoutMs: number;
  maxOutputBytes: number;
  /** Of one item; what it is made into in this process is bounded beside it (answer-bounds.ts). */
  maxLineBytes: number;
}

const LIMITS: ParserLimits = {
  memoryMb: 2048,
  cpuSeconds: 120,
  processes: 64,
  openFiles: 64,
  writtenBytes: 1024 * MIB,
  timeoutMs: 180_000,
  maxOutputBytes: 128 * MIB,
  maxLineBytes: 32 * MIB,
};

/** One run of one jailed program over one document. */
export interface ParserCall {
  program: ParserName;
  /** Real path of the document's bytes; as root everybody must have the right to read the file itself, not its folders. */
  document: string;
  /** One JSON object, as the program takes it. */
  request?: object;
  limits?: Partial<ParserLimits>;
  signal?: AbortSignal;
}

export interface JailOptions {
  confine: Confine;
  /** As root: first of sixteen host uids; calls at the same time have different ones. */
  uidBase: number;
  /** Folder of the bundled programs, where it is not that of this installation. */
  programs?: string;
  /** What a program wrote to standard error, which may quote the document: for tests, never for a log. */
  onErrors?: (text: string) => void;
}

/**
 * Runs the programs that open documents, each call in a jail of its own: no network, nothing of this host but the document and the program,
 * an unprivileged uid, and limits over everything that it starts (documents/docs/design/parser-jail.md). The calling process never looks into the document.
 */
export class ParserJail {
  private readonly uids = new Set<number>();

  constructor(private readonly options: JailOptions) {}

  /**
   * @param accept turns an item into what it must be and throws for anything else: whoever takes a program over can print what he likes
   * @throws DocsvcError `unavailable` where no jail can be built, `internal` for an installation that is not whole
   */
  async run<T>(call: ParserCall, accept: (item: unknown) => T): Promise<ParserOutcome<T>> {
    const limits = { ...LIMITS, ...call.limits };
    const uid = this.takeUid();
    try {
      const result = await this.options.confine(await this.commandOf(call, limits, uid));
      this.options.onErrors?.(result.stderr.toString('utf8'));
      call.signal?.throwIfAborted();
      return outcomeOf(result, accept, limits);
    } finally {
      this.uids.delete(uid);
    }
  }

  private async commandOf(call: ParserCall, limits: ParserLimits, uid: number): Promise<ConfinedCommand> {
    const program: ParserProgram = PARSER_PROGRAMS[call.program];
    const { timeoutMs, maxOutputBytes, maxLineBytes, ...group } = limits;
    const bundle = `${call.program}.mjs`;
    const programs = this.options.programs ?? installationFolder('dist/documents/parsers', bundle);
    const elsewhere = [
      { source: call.document, target: INSIDE.document },
      { source: await realpath(process.execPath), target: INSIDE.node },
      { source: await realpath(`${programs}/${bundle}`), target: `${INSIDE.programs}/${bundle}` },
      ...(await Promise.all(program.packages.map(packageMount))),
    ];
    await Promise.all(elsewhere.map(({ source }) => refuseUnreadable(source)));
    return {
      argv: [
        INSIDE.node,
        `--max-old-space-size=${Math.floor(limits.memoryMb * 0.75)}`,
        '--disable-warning=ExperimentalWarning',
        `${INSIDE.programs}/${bundle}`,
      ],
      env: ENVIRONMENT,
      readOnly: [],
      readWrite: [],
      elsewhere,
      cwd: INSIDE.scratch,
      uid,
      timeoutMs,
      // Node reserves more than it uses; what is used by all together is bounded by the group.
      memoryMb: limits.memoryMb + 1024,
      limits: group,
      maxOutputBytes,
      stdin: JSON.stringify(call.request ?? {}),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    };
  }

  /** Drawn, so that other processes of this service seldom have the same at the same time. */
  private takeUid(): number {
    for (;;) {
      const uid = this.options.uidBase + Math.floor(Math.random() * UIDS);
      if (this.uids.has(uid) && this.uids.size < UIDS) continue;
      this.uids.add(uid);
      return uid;
    }
  }
}

async function packageMount(name: string): Promise<{ source: string; target: string }> {
  const source = await realpath(installationFolder(`node_modules/${name}`, 'package.json'));
  return { source, target: `${INSIDE.packages}/${name}` };
}

/** In the jail the modes of a file decide, whoever owns it; those of the folders above it do not. */
async function refuseUnreadable(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { mode } = await stat(path);
  if ((mode & 0o004) === 0)
    throw new DocsvcError(
      'internal',
      `${path} cannot be read in the parser's jail; make it readable: chmod o+rX ${path}`,
    );
}

const WORDS: Readonly<Record<string, (limits: ParserLimits) => string>> = {
  wall_time: ({ timeoutMs, silenceMs }) => `${Math.min(timeoutMs, silenceMs ?? timeoutMs) / 1000} s without an answer`,
  cpu_time: ({ cpuSeconds }) => `${cpuSeconds} s of processor time`,
  memory: ({ memoryMb }) => `${memoryMb} MiB of memory`,
  processes: ({ processes }) => `${processes} processes`,
  open_files: ({ openFiles }) => `${openFiles} open files`,
  written_bytes: ({ writtenBytes }) => `${writtenBytes / MIB} MiB written`,
  output: ({ maxOutputBytes }) => `${maxOutputBytes / MIB} MiB of results`,
};

function outcomeOf<T>(result: ConfinedResult, accept: (item: unknown) => T, limits: ParserLimits): ParserOutcome<T> {
  const answer = readAnswer(result.stdout, limits.maxLineBytes, accept);
  const limit = result.limit ?? limitOfErrors(result);
  if (limit !== null) {
    const message = `the parser reached its limit of ${WORDS[limit]?.(limits) ?? limit}`;
    return { items: answer.items, failure: { kind: 'limit', limit, message } };
  }
  if (answer.end !== null && result.exitCode === 0) return { items: answer.items, failure: answer.end.failure };
  return { items: answer.items, failure: answer.fault ?? crash(result) };
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
