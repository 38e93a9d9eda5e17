import { SandgateError } from '../../../domain/errors.js';
import { deniedNetworks, deniesName } from '../../../domain/network/denied.js';
import type { ApprovedNetwork, FrozenNetwork } from '../../../domain/network/grant.js';
import { describeTarget, reaches } from '../../../domain/network/target.js';
import { listTargets } from '../../../domain/network/tool-variables.js';
import { noteFlow, type Flow, type TunnelState } from '../../../core/network/flows.js';
import { GRANT_EXPIRED } from '../../../core/network/network-grants.js';
import type { Database } from '../../../core/record/database.js';
import type { RunnerLimit } from '../../../core/runs/reached-limits.js';
import { AddressPins } from '../../../platform/egress/guarded-stream.js';
import { readNetwork } from '../../../platform/egress/network-list.js';
import type { SandgateConfig } from '../../../platform/config/index.js';
import { FlowCounts } from './flow-counts.js';
import type { TunnelObserver } from './tunnel-observer.js';
import type { TunnelTarget } from './tunnel-target.js';

/** Why a connection was refused, as `network.denied` names it. */
export type DenialRule =
  | 'offline'
  | 'grant'
  | 'expired'
  | 'literal'
  | 'target'
  | 'policy'
  | 'address'
  | 'silent'
  | 'not_tls_or_http'
  | 'sni'
  | 'no_sni'
  | 'ech'
  | 'early_data'
  | 'too_long'
  | 'host'
  | 'http';

/** Refused targets that have events of their own; later ones are counted in rollups. */
const LEDGERED_DENIALS = 20;

export interface TunnelRunParts {
  organizationId: string;
  runId: string;
  network: FrozenNetwork;
  database: Database;
  limits: SandgateConfig['limits'];
  observer: TunnelObserver;
  breached: (limit: RunnerLimit) => void;
}

/** One open tunnel. */
export interface Lease {
  readonly target: TunnelTarget;
  /** Aborted when the tunnel has to end: run, grant or bytes are over. */
  readonly signal: AbortSignal;
  /** Counts bytes. False: there are no more to be had, and the tunnel was cut. */
  readonly carry: (sent: number, received: number) => boolean;
  close(): void;
}

/** The tunnels of one run in this process: whom they may lead to, how many there are, what they carried. */
export class TunnelRun {
  readonly pins: AddressPins;
  readonly counts: FlowCounts;
  private readonly live = new Map<Lease, AbortController>();
  private opened: number;
  private bytes: number;
  /** What the record said when it was last asked; null: that there is no such run, or nothing yet. */
  private state: TunnelState | null = null;
  /** When the record was last asked, and when somebody last opened a tunnel or was refused one; by the process's clock. */
  askedAt = 0;
  usedAt = performance.now();
  /** Since when there are refusals that no event tells of; null: none. */
  untoldSince: number | null = null;

  constructor(
    readonly parts: TunnelRunParts,
    recorded: readonly Flow[],
  ) {
    this.pins = new AddressPins(parts.limits.tunnelPinMs);
    this.counts = new FlowCounts(recorded);
    const allowed = recorded.filter(({ verdict }) => verdict === 'allowed');
    this.opened = allowed.reduce((sum, { connections }) => sum + connections, 0);
    this.bytes = allowed.reduce((sum, flow) => sum + flow.bytesSent + flow.bytesReceived, 0);
  }

  get isIdle(): boolean {
    return this.live.size === 0;
  }

  /** Takes over what the record says. Cuts every tunnel of a run that may have none any more. */
  know(state: TunnelState | null): void {
    this.askedAt = performance.now();
    this.state = state;
    if (!this.acceptsWork || state?.grant?.status !== 'active') this.cut();
  }

  /** Whether an active grant has outlived its time. */
  get isGrantOver(): boolean {
    const grant = this.state?.grant;
    return this.acceptsWork && grant?.status === 'active' && performance.now() >= this.askedAt + grant.msLeft;
  }

  cut(): void {
    for (const control of this.live.values()) control.abort();
  }

  /**
   * Admits a tunnel. The first one to a target is on the record before this resolves.
   *
   * @throws SandgateError whose message a person can act on
   */
  async open(target: TunnelTarget): Promise<Lease> {
    this.usedAt = performance.now();
    if (!this.acceptsWork) throw inactive();
    const refusal = this.judge(target);
    if (refusal !== null) {
      await this.deny(target, refusal.rule);
      throw new SandgateError('forbidden', refusal.words);
    }
    this.refuseBeyondLimits();
    // Taken before anything is waited for, so that openings at the same time do not pass a limit together.
    this.opened += 1;
    const lease = this.begin(target);
    try {
      await this.note(target);
    } catch (error) {
      lease.close();
      throw error;
    }
    this.parts.observer.asked('allowed');
    return lease;
  }

  /** Records that a connection was refused: the first of its target at once, others in the counts. */
  async deny({ name, port }: TunnelTarget, rule: DenialRule): Promise<void> {
    this.parts.observer.asked('denied');
    const known = this.counts.find(name, port, 'denied') ?? this.counts.others();
    if (known !== undefined) {
      this.suppress(known);
      return;
    }
    const flow = { target: name, port, verdict: 'denied' } as const;
    const isToldApart = this.counts.deniedTargets < LEDGERED_DENIALS;
    const count = this.counts.remember(flow);
    const data = { target: name, port, protocol: 'tcp', decision: 'denied', rule };
    const event = isToldApart ? ({ actor: 'system', type: 'network.denied', data } as const) : null;
    const noted = await noteFlow(this.parts.database, this.parts, flow, event).catch((error: unknown) => {
      // Counted all the same, for a rollup to tell of.
      this.suppress(count);
      throw error;
    });
    if (noted === false) this.suppress(count);
    else if (event === null) this.untoldSince ??= performance.now();
  }

  private get acceptsWork(): boolean {
    return this.state?.acceptsWork === true;
  }

  private suppress(count: Flow): void {
    count.connections += 1;
    this.untoldSince ??= performance.now();
  }

  /** The networks that stay closed to this port. */
  closedNetworks(port: number): ReturnType<typeof readNetwork>[] {
    const { network } = this.parts;
    return network.mode === 'offline' ? [] : deniedNetworks(network.denied, port).map(readNetwork);
  }

  private judge(target: TunnelTarget): { rule: DenialRule; words: string } | null {
    const { network } = this.parts;
    const shown = `${target.name}:${target.port}`;
    if (network.mode === 'offline') {
      const words = `this run is offline; ${shown} was not reached. The agent's network setting has to allow it.`;
      return { rule: 'offline', words };
    }
    const grant = this.state?.grant;
    if (this.isGrantOver || grant?.reason === GRANT_EXPIRED)
      return { rule: 'expired', words: `the network grant of this run ended at ${network.expires_at}` };
    if (grant?.status !== 'active') return { rule: 'grant', words: 'the network grant of this run is not active' };
    if (target.isAddress) return { rule: 'literal', words: 'connections go to names, not to addresses' };
    return judgeName(network, target, shown);
  }

  private refuseBeyondLimits(): void {
    const { limits, observer, breached } = this.parts;
    const over: [boolean, RunnerLimit, string][] = [
      [this.live.size >= limits.tunnels, 'tunnels', `this run has ${limits.tunnels} connections open already`],
      [this.opened >= limits.tunnelOpens, 'tunnel_opens', `this run has opened its ${limits.tunnelOpens} connections`],
      [this.bytes >= limits.tunnelBytes, 'tunnel_bytes', `this run has exchanged its ${limits.tunnelBytes} bytes`],
    ];
    const [first] = over.filter(([isOver]) => isOver);
    if (first === undefined) return;
    breached(first[1]);
    observer.asked('limited');
    throw new SandgateError('rate_limited', first[2]);
  }

  /** @throws SandgateError when the run ended meanwhile */
  private async note({ name, port }: TunnelTarget): Promise<void> {
    const known = this.counts.find(name, port, 'allowed');
    if (known !== undefined) {
      known.connections += 1;
      return;
    }
    const flow = { target: name, port, verdict: 'allowed' } as const;
    const data = { target: name, port, protocol: 'tcp' };
    const event = { actor: 'system', type: 'network.allowed', data } as const;
    const noted = await noteFlow(this.parts.database, this.parts, flow, event);
    if (noted === null) throw inactive();
    const count = this.counts.remember(flow);
    if (!noted) count.connections += 1;
  }

  private begin(target: TunnelTarget): Lease {
    const control = new AbortController();
    let count: Flow | undefined;
    const lease: Lease = {
      target,
      signal: control.signal,
      carry: (sent, received) => {
        count ??= this.counts.remember({ target: target.name, port: target.port, verdict: 'allowed' });
        count.bytesSent += sent;
        count.bytesReceived += received;
        this.bytes += sent + received;
        if (this.bytes <= this.parts.limits.tunnelBytes) return true;
        this.parts.breached('tunnel_bytes');
        this.cut();
        return false;
      },
      close: () => {
        if (this.live.delete(lease)) this.parts.observer.closed();
        this.usedAt = performance.now();
      },
    };
    this.live.set(lease, control);
    this.parts.observer.opened();
    return lease;
  }
}

function judgeName(
  network: ApprovedNetwork,
  { name, port }: TunnelTarget,
  shown: string,
): { rule: DenialRule; words: string } | null {
  if (!network.targets.some((one) => reaches(one, name, port))) {
    const allowed = listTargets(network.targets.map(describeTarget));
    return { rule: 'target', words: `${shown} is not in this run's network (allowed: ${allowed})` };
  }
  if (network.denied.some((one) => deniesName(one, name, port)))
    return { rule: 'policy', words: `the policy of this run denies ${shown}` };
  return null;
}

function inactive(): SandgateError {
  return new SandgateError('invalid_request', 'session is not active');
}
