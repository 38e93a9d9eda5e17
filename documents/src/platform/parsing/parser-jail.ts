import { realpath, stat } from 'node:fs/promises';
import type { ParseFailure } from '../../domain/page-model.js';
import { DocsvcError } from '../../domain/errors.js';
import type { Confine, ConfinedCommand } from '../../../../src/platform/host/confine.js';
import { installationFolder } from '../../../../src/platform/host/installation-folder.js';
import { JailedParser } from './jailed-parser.js';
import { KeptParsers } from './kept-parsers.js';
import type { ParserLimits } from './parser-limits.js';
import { PARSER_LIMITS } from './parser-limits.js';
import type { ParserOutcome } from './parser-protocol.js';
import { INSIDE, mayPassInParts } from './parser-protocol.js';
import type { ParserName, ParserProgram } from './parser-programs.js';
import { PARSER_PROGRAMS } from './parser-programs.js';

const UIDS = 16;
const ENVIRONMENT = { TMPDIR: INSIDE.scratch, OMP_THREAD_LIMIT: '1', UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' };

/** One question about one document. */
export interface ParserCall {
  program: ParserName;
  /** Real path of the document's bytes; as root everybody must have the right to read the file itself, not its folders. */
  document: string;
  /** One JSON object, as the program takes it. */
  request?: object;
  limits?: Partial<ParserLimits>;
  /** Of calls alike that one program may answer one after the other: whether another one follows this one soon. */
  series?: 'more' | 'last' | undefined;
  signal?: AbortSignal | undefined;
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
 * Runs the programs that open documents, each in a jail of its own: no network, nothing of this host but the one document and the program,
 * an unprivileged uid, and limits over everything that it starts (documents/docs/design/parser-jail.md). The calling process never looks into the document.
 */
export class ParserJail {
  private readonly uids = new Set<number>();
  private readonly kept = new KeptParsers();

  constructor(private readonly options: JailOptions) {}

  /**
   * @param accept turns an item into what it must be and throws for anything else: whoever takes a program over can print what he likes
   * @throws DocsvcError `unavailable` where no jail can be built, `internal` for an installation that is not whole
   */
  async run<T>(call: ParserCall, accept: (item: unknown) => T): Promise<ParserOutcome<T>> {
    const limits = { ...PARSER_LIMITS, ...call.limits };
    const kept = call.series === undefined ? undefined : this.kept.take(aboutOf(call));
    if (kept === undefined) return this.ask(await this.start(call, limits), call, limits, accept);
    const outcome = await this.ask(kept, call, limits, accept);
    // What the program did before may have ended it: a call is blamed by a program of its own alone.
    if (outcome.items.length > 0 || !mayBeOfEarlierCalls(outcome.failure)) return outcome;
    return this.ask(await this.start(call, limits), call, limits, accept);
  }

  private async ask<T>(
    parser: JailedParser,
    call: ParserCall,
    limits: ParserLimits,
    accept: (item: unknown) => T,
  ): Promise<ParserOutcome<T>> {
    const { series, request = {}, signal } = call;
    try {
      return await parser.ask({ request, limits, isLast: series !== 'more', accept, signal });
    } finally {
      if (series !== 'more' || !this.kept.keep(aboutOf(call), parser)) await parser.end();
    }
  }

  /** Ends the programs that wait for another call. */
  async close(): Promise<void> {
    await this.kept.close();
  }

  private async start(call: ParserCall, limits: ParserLimits): Promise<JailedParser> {
    const uid = this.takeUid();
    const ended = (errors: string): void => {
      this.uids.delete(uid);
      this.options.onErrors?.(errors);
    };
    try {
      return new JailedParser(this.options.confine, await this.commandOf(call, limits, uid), ended);
    } catch (error) {
      this.uids.delete(uid);
      throw error;
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
        // Young objects are those of a few pages; with more room a program that lives long only grows.
        '--max-semi-space-size=8',
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

const aboutOf = ({ program, document }: ParserCall): string => `${program} ${document}`;

/** Time and answers are counted for each call; all else is the program's. */
function mayBeOfEarlierCalls(failure: ParseFailure | null): boolean {
  if (failure?.kind === 'limit') return !['wall_time', 'output'].includes(failure.limit) && mayPassInParts(failure);
  return failure?.kind === 'crashed';
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
