import {
  ActivityFailure,
  CancellationScope,
  ChildWorkflowFailure,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
  TimeoutFailure,
} from '@temporalio/workflow';
import { TimeoutType } from '@temporalio/common';
import type { AttemptRef, HashSteps, IngestSteps, ParseRef } from '../activities/ingest-steps.js';
import type { IngestEnding } from '../domain/ingest/ingest-errors.js';
import { index, show, type IngestStage } from './ingest-visibility.js';
import { HASH_QUEUE, woken } from './messages.js';
import { readBatches } from './read-batches.js';

/** A version, by its id. */
export interface VersionRef {
  orgId: string;
  subjectId: string;
}

/** Where the next execution of a long document goes on. */
export interface IngestProgress {
  parse: ParseRef;
  nextPage: number;
}

/** A step whose worker died, or whose database is away, is taken again for as long as the stage may last. */
const LOST_STEP = { initialInterval: '500ms', maximumInterval: '30s' } as const;
/** Work that grows with the document may be what its worker dies of, again and again: then the version fails, and the others are read. */
const HEAVY_STEP = { ...LOST_STEP, maximumInterval: '2 minutes', maximumAttempts: 20 } as const;
const STAGE_LIMITS = { hash: '7 days', validate: '1 day', parse: '7 days', index: '1 day' } as const;

const { beginIngest } = proxyActivities<IngestSteps>({
  startToCloseTimeout: '10s',
  retry: LOST_STEP,
  summary: 'Take the version from the queue',
});

/** Takes a whole file, of whatever size. No project waits behind all the files of another one. */
function hashing({ projectId, timing }: AttemptRef): HashSteps {
  return proxyActivities<HashSteps>({
    taskQueue: HASH_QUEUE,
    startToCloseTimeout: STAGE_LIMITS.validate,
    scheduleToCloseTimeout: STAGE_LIMITS.hash,
    heartbeatTimeout: timing.heartbeatMs,
    retry: LOST_STEP,
    priority: { fairnessKey: projectId },
    summary: 'Hash the file',
  });
}

function validation({ timing }: AttemptRef): Pick<IngestSteps, 'validateVersion'> {
  return proxyActivities<IngestSteps>({
    startToCloseTimeout: STAGE_LIMITS.validate,
    scheduleToCloseTimeout: STAGE_LIMITS.validate,
    heartbeatTimeout: timing.heartbeatMs,
    retry: LOST_STEP,
    summary: 'Find out what the file is',
  });
}

function indexing({ timing }: AttemptRef): Pick<IngestSteps, 'joinTables' | 'indexVersion'> {
  return proxyActivities<IngestSteps>({
    startToCloseTimeout: STAGE_LIMITS.index,
    scheduleToCloseTimeout: STAGE_LIMITS.index,
    heartbeatTimeout: timing.heartbeatMs,
    retry: HEAVY_STEP,
    summary: 'Make what was read searchable',
  });
}

function ending({ timing }: AttemptRef): Pick<IngestSteps, 'finishVersion'> {
  return proxyActivities<IngestSteps>({
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: timing.heartbeatMs,
    retry: LOST_STEP,
    summary: 'Record how reading ended, with its event',
  });
}

/**
 * Reads one version from its row to its end. Re-entrant: started for a version in any status it reads the row and goes on from there, so losing
 * the driver's store loses no version. A wake-up makes it look once more, for a version that is to be read again.
 */
export async function documentIngest(ref: VersionRef, progress?: IngestProgress): Promise<void> {
  const wakeUps = { seen: 0 };
  setHandler(woken, () => {
    wakeUps.seen += 1;
  });
  for (let rest = progress; ; rest = undefined) {
    const before = wakeUps.seen;
    await ingest(ref, rest);
    if (wakeUps.seen === before) return;
  }
}

async function ingest(ref: VersionRef, progress: IngestProgress | undefined): Promise<void> {
  const attempt = progress?.parse ?? (await beginIngest(ref));
  if (attempt === null) return;
  const reading = new Reading(ref, attempt);
  const end = await reading.read(progress);
  if (end === null) return;
  show('finish', 'Records how reading ended.');
  await ending(attempt).finishVersion(attempt, end.parseId, end.ending);
}

interface End {
  parseId: string | null;
  /** Null when the record decides. */
  ending: IngestEnding | null;
}

/** One attempt on its way through the stages. */
class Reading {
  private stage: IngestStage = 'validate';
  private parseId: string | null = null;

  constructor(
    private readonly ref: VersionRef,
    private readonly attempt: AttemptRef,
  ) {}

  /** @returns null when the version has gone on without this attempt */
  async read(progress: IngestProgress | undefined): Promise<End | null> {
    try {
      return await (progress === undefined ? this.readAll() : this.readOn(progress.parse, progress.nextPage));
    } catch (failure) {
      if (CancellationScope.current().consideredCancelled || !isStepFailure(failure)) throw failure;
      return { parseId: this.parseId, ending: { status: 'failed', code: this.codeOf(failure) } };
    }
  }

  private async readAll(): Promise<End | null> {
    if (this.attempt.isHashedApart) {
      this.enter('validate', 'Hashes the file, or waits for its turn.');
      await hashing(this.attempt).hashVersion(this.attempt);
    }
    this.enter('validate', 'Finds out what the file is.');
    const validated = await validation(this.attempt).validateVersion(this.attempt);
    switch (validated.next) {
      case 'leave':
        return null;
      case 'end':
        return { parseId: null, ending: validated.ending };
      case 'use':
        return { parseId: validated.parseId, ending: null };
      case 'read':
        return this.readOn(validated.parse, 1);
    }
  }

  private async readOn(parse: ParseRef, from: number): Promise<End> {
    this.parseId = parse.parseId;
    this.enter('parse', `Reads the pages from ${from} on.`);
    const { ending: early, nextPage } = await CancellationScope.withTimeout(STAGE_LIMITS.parse, () =>
      readBatches(parse, from),
    );
    if (early !== null) return { parseId: this.parseId, ending: early };
    if (nextPage !== null) {
      await continueAsNew<typeof documentIngest>(this.ref, { parse, nextPage });
    }
    this.enter('tables', 'Joins the tables that go on over several pages.');
    await indexing(parse).joinTables(parse);
    this.enter('index', 'Makes the pages searchable.');
    await indexing(parse).indexVersion(parse);
    return { parseId: this.parseId, ending: null };
  }

  private enter(stage: IngestStage, details: string): void {
    this.stage = stage;
    show(stage, details);
    if (this.attempt.isFindable) index(this.ref.orgId, stage);
  }

  private codeOf(failure: unknown): IngestEnding['code'] {
    const isIndexing = this.stage === 'tables' || this.stage === 'index';
    if (!isOverdue(failure)) return isIndexing ? 'index_failed' : 'internal';
    if (this.stage === 'validate') return 'timeout_validate';
    return isIndexing ? 'timeout_index' : 'timeout_parse';
  }
}

/** What a step came to, as opposed to a fault of this code, which must stop the workflow where it is. */
function isStepFailure(failure: unknown): boolean {
  return failure instanceof ActivityFailure || failure instanceof ChildWorkflowFailure || isCancellation(failure);
}

/** Whether the limit of a stage ended it, as opposed to workers that fell silent. */
function isOverdue(failure: unknown): boolean {
  if (isCancellation(failure)) return true;
  const cause = failure instanceof Error ? failure.cause : undefined;
  return cause instanceof TimeoutFailure && cause.timeoutType !== TimeoutType.HEARTBEAT;
}
