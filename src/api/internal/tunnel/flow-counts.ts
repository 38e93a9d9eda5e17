import { MAX_TARGETS, OTHER_TARGETS, type Flow, type FlowVerdict } from '../../../core/network/flows.js';

/** What this process counted of one run's connections, by target, until it is on the record. */
export class FlowCounts {
  private readonly known = new Map<string, Flow>();
  private denied = 0;

  /** @param recorded targets that the record has already */
  constructor(recorded: readonly Flow[]) {
    for (const flow of recorded) this.remember(flow);
  }

  /** How many targets of refused connections are counted apart. */
  get deniedTargets(): number {
    return this.denied;
  }

  get hasPending(): boolean {
    return [...this.known.values()].some(isPending);
  }

  find(target: string, port: number, verdict: FlowVerdict): Flow | undefined {
    return this.known.get(keyOf(target, port, verdict));
  }

  /** The count of a target that is on the record from now on. */
  remember({ target, port, verdict }: Pick<Flow, 'target' | 'port' | 'verdict'>): Flow {
    const key = keyOf(target, port, verdict);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const count = { target, port, verdict, connections: 0, bytesSent: 0, bytesReceived: 0 };
    this.known.set(key, count);
    if (verdict === 'denied') this.denied += 1;
    return count;
  }

  /** The count of refused connections to targets that are not counted apart. */
  others(): Flow | undefined {
    if (this.denied < MAX_TARGETS) return undefined;
    return this.remember({ ...OTHER_TARGETS, verdict: 'denied' });
  }

  /** Takes what is not on the record yet. */
  take(): Flow[] {
    const taken: Flow[] = [];
    for (const count of this.known.values()) {
      if (!isPending(count)) continue;
      taken.push({ ...count });
      Object.assign(count, { connections: 0, bytesSent: 0, bytesReceived: 0 });
    }
    return taken;
  }

  /** Gives back what could not be recorded. */
  giveBack(flows: readonly Flow[]): void {
    for (const flow of flows) {
      const count = this.remember(flow);
      count.connections += flow.connections;
      count.bytesSent += flow.bytesSent;
      count.bytesReceived += flow.bytesReceived;
    }
  }
}

/** Whether anything of it is not on the record yet. */
function isPending({ connections, bytesSent, bytesReceived }: Flow): boolean {
  return connections + bytesSent + bytesReceived > 0;
}

function keyOf(target: string, port: number, verdict: FlowVerdict): string {
  return `${verdict} ${target}:${port}`;
}
