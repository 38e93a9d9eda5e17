import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { RunSpecs } from '../../../core/gate/run-specs.js';
import { addFlows, readTunnels, rollUpDenials, type Flow } from '../../../core/network/flows.js';
import { expireGrant } from '../../../core/network/network-grants.js';
import { Database } from '../../../core/record/database.js';
import { SandgateError } from '../../../domain/errors.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { ProcessLease } from '../llm/process-lease.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { TunnelObserver } from './tunnel-observer.js';
import { TunnelRun } from './tunnel-run.js';

/** How often counts go on the record, and grants and runs that are over are noticed. */
const TICK_MS = 1_000;
/** How old what the record said of a run may be when a tunnel is opened. */
const KNOWN_MS = 2_000;
/** How long tunnels may stay open while the record does not say whether their run goes on. */
const UNHEARD_MS = 20_000;
/** How long refusals that no event tells of wait for one. */
const ROLLUP_MS = 60_000;
/** A run without tunnels is forgotten after this; the record has its counts. */
const FORGOTTEN_MS = 60_000;

interface Entry {
  run: TunnelRun;
  asking: Promise<void> | null;
  /** What is being done for the run since the last tick. */
  tending: Promise<void> | null;
  /** By which name the record knows that this process counts; null: not at all. */
  countsAs: string | null;
}

/** The runs of this process that have tunnels, or had some a moment ago. */
@Injectable()
export class TunnelRuns implements BeforeApplicationShutdown {
  private readonly entries = new Map<string, Promise<Entry>>();
  /** Those of them that are loaded. */
  private readonly known = new Set<Entry>();
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  constructor(
    private readonly config: ApiConfig,
    private readonly database: Database,
    private readonly specs: RunSpecs,
    private readonly lease: ProcessLease,
    private readonly breaches: LimitBreaches,
    private readonly observer: TunnelObserver,
    private readonly logger: PinoLogger,
  ) {}

  /** The run, as the record has it now or had it a moment ago. @throws SandgateError `not_found` or `unavailable` */
  async find(organizationId: string, runId: string): Promise<TunnelRun> {
    if (this.stopped) throw new SandgateError('unavailable', 'the control plane is stopping');
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    const known = this.entries.get(runId);
    if (known === undefined) return (await this.begin(organizationId, runId)).run;
    const entry = await known;
    entry.run.usedAt = performance.now();
    const processId = await this.lease.id();
    // What is asked already may be that the process counts no more.
    if (entry.countsAs !== processId) await entry.asking;
    const isKnown = entry.countsAs === processId && performance.now() - entry.run.askedAt <= KNOWN_MS;
    if (!isKnown) await this.record(entry);
    return entry.run;
  }

  /** Cuts every tunnel: whoever uses one opens it again elsewhere. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    const entries = await this.loaded();
    for (const { run } of entries) run.cut();
    for (const entry of entries) {
      await entry.tending;
      await entry.asking;
      if (entry.countsAs !== null) await this.record(entry, false);
    }
    this.entries.clear();
    this.known.clear();
  }

  private begin(organizationId: string, runId: string): Promise<Entry> {
    const loading = this.load(organizationId, runId);
    this.entries.set(runId, loading);
    loading.then(
      (entry) => this.known.add(entry),
      () => undefined,
    );
    loading.catch(() => this.entries.delete(runId));
    return loading;
  }

  private async load(organizationId: string, runId: string): Promise<Entry> {
    const [processId, { spec }] = await Promise.all([this.lease.id(), this.specs.get(organizationId, runId)]);
    const tunnels = await readTunnels(this.database.pool, { organizationId, runId }, processId);
    if (tunnels === null) throw new SandgateError('not_found', 'not found');
    const parts = {
      ...{ organizationId, runId, network: spec.network, database: this.database, limits: this.config.limits },
      observer: this.observer,
      breached: (limit: Parameters<LimitBreaches['note']>[1]) => this.breaches.note(runId, limit),
    };
    const run = new TunnelRun(parts, tunnels.flows);
    run.know(tunnels);
    return { run, asking: null, tending: null, countsAs: processId };
  }

  /** Puts counts on the record and learns what has become of the run; callers at the same time share one question. */
  private record(entry: Entry, countsOn = true): Promise<void> {
    entry.asking ??= this.exchange(entry, countsOn).finally(() => (entry.asking = null));
    return entry.asking;
  }

  private async exchange(entry: Entry, countsOn: boolean): Promise<void> {
    const { run, countsAs } = entry;
    const processId = countsOn ? await this.lease.id() : (countsAs ?? '');
    // Whoever opens a tunnel meanwhile says first that the process counts again.
    if (!countsOn) entry.countsAs = null;
    const flows = run.counts.take();
    try {
      run.know(await addFlows(this.database.pool, run.parts, flows, { processId, countsOn }));
    } catch (error) {
      run.counts.giveBack(flows);
      entry.countsAs = countsAs;
      throw error;
    }
    if (countsOn) entry.countsAs = processId;
    this.measure(flows);
  }

  private measure(flows: readonly Flow[]): void {
    for (const flow of flows) this.observer.carried(flow.bytesSent, flow.bytesReceived);
  }

  /** Each run by itself: one whose rows somebody holds keeps no other from being noticed. */
  private tick(): void {
    for (const entry of this.known) {
      const { run } = entry;
      // Neither needs the record, which may not answer.
      if (run.isGrantOver || performance.now() - run.askedAt > UNHEARD_MS) run.cut();
      entry.tending ??= this.tend(entry)
        .catch((error: unknown) => {
          this.logger.warn({ err: error, runId: run.parts.runId }, 'tunnels of a run could not be recorded');
        })
        .finally(() => (entry.tending = null));
    }
  }

  private async tend(entry: Entry): Promise<void> {
    const { run } = entry;
    const { runId, organizationId } = run.parts;
    if (run.isGrantOver) {
      await expireGrant(this.database, run.parts);
      await this.record(entry);
    } else if (!run.isIdle || run.counts.hasPending) await this.record(entry);
    else if (entry.countsAs !== null && performance.now() - run.usedAt > KNOWN_MS) await this.record(entry, false);
    if (run.untoldSince !== null && performance.now() - run.untoldSince > ROLLUP_MS) {
      run.untoldSince = null;
      await this.database.withTenant(organizationId, async (tx) => {
        await tx.append(runId, await rollUpDenials(tx, runId));
      });
    }
    const isQuiet = run.isIdle && entry.countsAs === null && run.untoldSince === null;
    if (!isQuiet || performance.now() - run.usedAt <= FORGOTTEN_MS) return;
    this.entries.delete(runId);
    this.known.delete(entry);
  }

  private async loaded(): Promise<Entry[]> {
    const settled = await Promise.allSettled(this.entries.values());
    return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }
}
