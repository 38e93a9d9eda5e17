import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { DriverTiming, RunRef, RunView } from '../activities/run-activities.js';
import { BrokeredCalls } from './brokered-calls.js';
import { isHostLost } from './host-lost.js';
import { isHistoryLong } from './long-history.js';
import { hostActivities, record } from './run-activities.js';
import {
  approvalDecided,
  approvalRequested,
  capacityGranted,
  finalizationRequested,
  phaseQuery,
  searchAttributes,
} from './messages.js';

/** What the workflow remembers between two looks at the row: wake-ups, the supervised sandbox and what operators are shown. */
export class RunDriverState {
  exit: { exitCode: number | null } | null = null;
  hostLost = false;
  finalizationSeen = false;
  readonly calls: BrokeredCalls;
  private phase = '';
  private woken = false;
  private watching: CancellationScope | null = null;
  private shown = '';

  constructor(private readonly ref: RunRef) {
    const rouse = () => {
      this.woken = true;
    };
    setHandler(approvalRequested, rouse);
    setHandler(approvalDecided, rouse);
    setHandler(capacityGranted, rouse);
    setHandler(finalizationRequested, () => {
      this.finalizationSeen = true;
      rouse();
    });
    setHandler(phaseQuery, () => this.phase);
    this.calls = new BrokeredCalls(ref, () => {
      if (isHistoryLong()) rouse();
    });
  }

  /** Reads the row and shows it to operators. */
  async look(): Promise<RunView | null> {
    this.clearWake();
    const view = await record.describeRun(this.ref);
    if (view !== null) {
      this.calls.learn(view);
      this.show(view);
    }
    return view;
  }

  /** One sentence for Temporal Web: our own words, ids and numbers only. */
  say(phase: string): void {
    if (phase === this.phase) return;
    this.phase = phase;
    setCurrentDetails(phase);
  }

  clearWake(): void {
    this.woken = false;
  }

  /** Sleeps until a signal arrives, the sandbox ends, `also` holds, or `ms` have passed (null: no limit). */
  async wake(ms: number | null, also: () => boolean = () => false): Promise<void> {
    const roused = () => this.woken || this.exit !== null || this.hostLost || also();
    if (ms === null) await condition(roused);
    else await condition(roused, Math.max(1, Math.ceil(ms)));
  }

  /** Supervises the sandbox until it ends or the workflow does; a second call while one is under way changes nothing. */
  watch(ref: RunRef, hostId: string, timing: DriverTiming): void {
    if (this.watching !== null) return;
    const scope = new CancellationScope();
    this.watching = scope;
    void scope
      .run(() => hostActivities(hostId, timing).watch(ref))
      .then((exit) => {
        this.exit = exit;
      })
      .catch((failure: unknown) => {
        if (isCancellation(failure)) return;
        this.hostLost = isHostLost(failure);
        if (!this.hostLost) this.exit = { exitCode: null };
      });
  }

  unwatch(): void {
    this.watching?.cancel();
  }

  private show(view: RunView): void {
    const waiting = `${view.pendingApprovals} tool call${view.pendingApprovals === 1 ? '' : 's'}`;
    if (view.status === 'running') this.say('The agent works in its sandbox.');
    const asks = view.status === 'awaiting_approval' || (view.setsUp === true && view.pendingApprovals > 0);
    if (asks) this.say(`Waits for a human to decide ${waiting}.`);
    const shown = `${view.status} ${view.pendingApprovals}`;
    if (shown === this.shown || view.searchAttributesMissing) return;
    this.shown = shown;
    upsertSearchAttributes([
      { key: searchAttributes.organization, value: view.organizationSlug },
      { key: searchAttributes.agent, value: view.agentName },
      { key: searchAttributes.status, value: view.status },
      { key: searchAttributes.pendingApprovals, value: view.pendingApprovals },
    ]);
  }
}
