import { OrphanGuard } from './orphan-guard.js';
import { StartRefused } from './start-refused.js';
import { SERVICES_GRACE_MS, STORES_GRACE_MS } from './stop-times.js';
import { SupervisedProcess, type PartDefinition } from './supervised-process.js';

/** Stores outlive the services that use them. */
type PartKind = 'store' | 'service';

/** The parts of one installation: each is kept running, and all end together (docs/design/workflows.md). */
export class Supervisor {
  private readonly parts: Record<PartKind, SupervisedProcess[]> = { store: [], service: [] };
  private readonly guard = new OrphanGuard();
  private givenUp = false;

  constructor(
    private readonly logs: string,
    private readonly notify: (line: string) => void,
  ) {}

  /** What every part has in common. */
  get shared(): Pick<PartDefinition, 'logs' | 'guard' | 'notify'> {
    return { logs: this.logs, guard: this.guard, notify: this.notify };
  }

  /** Pids of the parts that live now; each leads a process group of its own. */
  get pids(): Partial<Record<string, number>> {
    return Object.fromEntries([...this.parts.service, ...this.parts.store].map((part) => [part.name, part.pid]));
  }

  get isGivenUp(): boolean {
    return this.givenUp;
  }

  /** Starts a part and waits until it serves. @throws StartRefused after {@link refuseMore} */
  async launch(kind: PartKind, part: PartDefinition): Promise<void> {
    if (this.givenUp) throw new StartRefused(`${part.name} was not started: the start was given up`);
    const supervised = new SupervisedProcess(part);
    this.parts[kind].push(supervised);
    await supervised.start();
  }

  /** From now on no part is started for the first time. */
  refuseMore(): void {
    this.givenUp = true;
  }

  /** Ends the services, then the stores, within two seconds. */
  async end(): Promise<void> {
    this.refuseMore();
    await this.endAll(this.parts.service, SERVICES_GRACE_MS);
    await this.endAll(this.parts.store, STORES_GRACE_MS);
    this.guard.dismiss();
  }

  /** A part that cannot be stopped in an orderly way must not keep the others running. */
  private async endAll(parts: readonly SupervisedProcess[], graceMs: number): Promise<void> {
    const results = await Promise.allSettled(parts.map((part) => part.stop(graceMs)));
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') continue;
      this.notify(`${result.reason instanceof Error ? result.reason.message : String(result.reason)}; killing it`);
      parts[index]?.kill();
    }
  }
}
