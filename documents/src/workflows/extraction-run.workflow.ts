import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { TimeoutType } from '@temporalio/common';
import type { EngineSteps, ExtractionSteps, RunRef } from '../activities/extraction-steps.js';
import { EXTRACT_QUEUE, woken } from './messages.js';

/** A run, by its id. */
export interface ExtractionRef {
  orgId: string;
  subjectId: string;
}

/** Documents of one run that are extracted at once; how many engines run is for their queue to say. */
const AT_ONCE = 16;
/** A step whose worker died, or whose database is away, is taken again for as long as the run may last. */
const LOST_STEP = { initialInterval: '500ms', maximumInterval: '30s' } as const;
/** A document may be what its worker dies of, again and again: then it fails, and the others are done. */
const HEAVY_STEP = { ...LOST_STEP, maximumInterval: '2 minutes', maximumAttempts: 20 } as const;
/** Of one execution: items from its begin to its end, waits for places among the engines included. */
const RUN_LIMIT = '1 day';
/** While it waits a run looks by itself too, should a wake-up be lost. */
const LOOK_EVERY_MS = 60_000;

const steps = proxyActivities<ExtractionSteps>({
  startToCloseTimeout: '1 minute',
  retry: LOST_STEP,
  summary: 'Record where the run stands',
});

/** No organization waits behind all the documents of another one. */
function engine({ orgId, timing }: RunRef, item: number): EngineSteps {
  return proxyActivities<EngineSteps>({
    taskQueue: EXTRACT_QUEUE,
    startToCloseTimeout: '1 hour',
    scheduleToCloseTimeout: RUN_LIMIT,
    heartbeatTimeout: timing.heartbeatMs,
    retry: HEAVY_STEP,
    priority: { fairnessKey: orgId },
    summary: `Extract document ${item}`,
  });
}

/**
 * Brings one run from its row to its end. Re-entrant: started for a run in any status it reads the row and goes on from there, so losing the
 * driver's store loses no run. A wake-up makes it look once more: a version is ready, somebody asks it to stop, or it is to be done again.
 */
export async function extractionRun(subject: ExtractionRef): Promise<void> {
  const wakeUps = { seen: 0 };
  setHandler(woken, () => {
    wakeUps.seen += 1;
  });
  for (;;) {
    const before = wakeUps.seen;
    const isWoken = (): boolean => wakeUps.seen > before;
    const taken = await steps.takeExtraction(subject);
    if (taken?.status === 'waiting') {
      setCurrentDetails('wait: Versions of documents are still being read.');
      await condition(isWoken, Math.min(LOOK_EVERY_MS, Math.max(1000, taken.waitMs)));
    } else {
      if (taken?.status === 'running') await new Running(subject, taken.ref, wakeUps).toTheEnd();
      if (taken !== null) {
        setCurrentDetails('finish: Records what the run came to.');
        await steps.finishExtraction(taken.ref, 'internal');
      }
      if (!isWoken()) return;
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof extractionRun>(subject);
  }
}

/** A run whose documents are extracted. */
class Running {
  constructor(
    private readonly subject: ExtractionRef,
    private readonly ref: RunRef,
    private readonly wakeUps: { readonly seen: number },
  ) {}

  /** Until all is done, or the run is asked to stop: then nothing is begun any more, and what is under way is given up. */
  async toTheEnd(): Promise<void> {
    const work = new CancellationScope();
    const all = work.run(() => this.extractOpen());
    for (let { seen } = this.wakeUps; ;) {
      const looked = seen;
      const woke = condition(() => this.wakeUps.seen > looked);
      if ((await Promise.race([all.then(() => 'done'), woke])) === 'done') return;
      ({ seen } = this.wakeUps);
      if (await this.goesOn()) continue;
      work.cancel();
      await all.catch(unlessCancelled);
      return;
    }
  }

  /** One wake-up too many changes nothing. */
  private async goesOn(): Promise<boolean> {
    const taken = await steps.takeExtraction(this.subject);
    return taken?.status === 'running' && taken.ref.attempt === this.ref.attempt;
  }

  /** Goes through the items that are open, some at once. A long run is continued in a new execution, which finds the rest. */
  private async extractOpen(): Promise<void> {
    for (let after = 0; ;) {
      const open = await steps.listOpenItems(this.ref, after);
      const last = open.at(-1);
      if (last === undefined) return;
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, open.length) }, () => this.extractSome(open)));
      after = last;
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof extractionRun>(this.subject);
    }
  }

  private async extractSome(open: number[]): Promise<void> {
    for (let item = open.shift(); item !== undefined; item = open.shift()) {
      setCurrentDetails(`extract: Document ${item}; ${open.length} more wait.`);
      await this.extractOne(item);
    }
  }

  private async extractOne(item: number): Promise<void> {
    try {
      await engine(this.ref, item).extractItem(this.ref, item);
    } catch (failure) {
      if (!(failure instanceof ActivityFailure) || isCancellation(failure)) throw failure;
      await steps.failItem(this.ref, item, isOverdue(failure) ? 'timeout_run' : 'internal');
    }
  }
}

function unlessCancelled(failure: unknown): void {
  if (!isCancellation(failure)) throw failure;
}

/** Whether the limit of the run ended a step, as opposed to workers that fell silent. */
function isOverdue({ cause }: ActivityFailure): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType !== TimeoutType.HEARTBEAT;
}
