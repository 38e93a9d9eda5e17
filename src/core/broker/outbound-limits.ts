import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import type pg from 'pg';
import {
  enterDial,
  forgetDials,
  leaveDial,
  type DialCharge,
  type DialKey,
  type DialVerdict,
} from './outbound-dials.js';
import { registerMetrics, type MetricsOf, type MetricTable } from '../../platform/telemetry/metric-table.js';
import { CircuitBreakers, PROBE_SECS } from './circuit-breakers.js';
import { TokenBuckets, type Charge } from './token-buckets.js';

/** See `EgressConfig` for the variables; 0 switches a limit off. */
export interface OutboundLimitSettings {
  tenantPerMin: number;
  userPerMin: number;
  connectionPerMin: number;
  hostPerMin: number;
  breakerThreshold: number;
  breakerOpenSecs: number;
  durable: boolean;
}

/** The scopes that an outbound call is counted in. */
export interface DialScopes {
  organizationId: string;
  /** Who invoked the run; null without a person, and then no limit of a person counts. */
  userId: string | null;
  connectionId: string;
  /** Host and port of the upstream, as in `URL.host`. */
  host: string;
}

/** A refusal before any byte: the host is told as a digest only. */
export interface DialRefusal {
  reason: 'rate_limited' | 'breaker_open';
  scope: DialVerdict['refused'] | 'host_global';
  retryAfterSecs: number;
  text: string;
}

/**
 * What the call showed of its host. `healthy`: any definitive answer, good or bad, 4xx included. `failed`: no connection, refused
 * address, 5xx, timeout, broken stream, refused redirect. `unknown`: given up by us, or never sent.
 */
export type DialOutcome = 'healthy' | 'failed' | 'unknown';

export interface Dial {
  /** Once, when the call is over. */
  leave(outcome: DialOutcome): Promise<void>;
}

export type DialEntry = { dial: Dial; refusal?: undefined } | { dial?: undefined; refusal: DialRefusal };

interface LimitsLog {
  warn(fields: Record<string, unknown>, message: string): void;
}

/** How many times one organization's limit for a host this process sends there for all organizations together. */
const ALL_ORGANIZATIONS = 8;
/** Organizations whose old counts this process has already cleared away. */
const MAX_CLEARED = 10_000;

const TABLE = {
  rejections: {
    name: 'service_egress_rejections_total',
    help: 'Brokered calls that were refused before anything was sent.',
    labels: ['reason'],
  },
  degraded: {
    name: 'service_egress_governor_degraded_total',
    help: 'Outbound calls that were judged by the counts of this process alone, because the database failed.',
  },
} as const satisfies MetricTable;

/**
 * How often brokered calls go out, and whether they should (docs/design/broker.md): limits per minute for organization, invoking person,
 * connection and host, and a breaker for each connection and host. First this process's own counts, then those that all processes
 * share; when the database fails, the own counts decide alone.
 */
export class OutboundLimits {
  private readonly buckets: TokenBuckets;
  private readonly breakers: CircuitBreakers;
  private readonly measured: MetricsOf<typeof TABLE>;
  private readonly cleared = new LRUCache<string, true>({ max: MAX_CLEARED });

  constructor(
    private readonly settings: OutboundLimitSettings,
    private readonly on: { pool: pg.Pool; registry: Registry; log: LimitsLog; now?: () => number },
  ) {
    const now = on.now ?? (() => performance.now());
    this.buckets = new TokenBuckets(now);
    const { breakerThreshold: threshold, breakerOpenSecs: openSecs } = settings;
    this.breakers = new CircuitBreakers({ threshold, openSecs }, now);
    this.measured = registerMetrics(on.registry, TABLE);
  }

  /** Asks every limit and charges them if none refuses; a refused call charges nothing. */
  async enter(scopes: DialScopes): Promise<DialEntry> {
    const hostDigest = digestHost(scopes.host);
    const shared = this.sharedCharges(scopes, hostDigest);
    const key: DialKey = { organizationId: scopes.organizationId, connectionId: scopes.connectionId, hostDigest };
    const own = this.ownCharges(shared, key);
    const full = this.buckets.take(own);
    if (full !== null) return this.refuse(scopeOf(full.key), full.waitMs / 1000, hostDigest);
    const breakerKey = [key.organizationId, key.connectionId, hostDigest].join();
    const admitted = this.breakers.enabled ? this.breakers.enter(breakerKey) : { probe: false };
    if ('waitMs' in admitted) {
      this.buckets.refund(own);
      return this.refuse('breaker', admitted.waitMs / 1000, hostDigest);
    }
    const verdict = await this.askShared(key, shared);
    if (verdict !== null && verdict.refused !== null) {
      this.buckets.refund(own);
      this.breakers.leave(breakerKey, null, admitted.probe);
      return this.refuse(verdict.refused, verdict.retryAfterSecs, hostDigest);
    }
    return { dial: { leave: (outcome) => this.leave(key, breakerKey, admitted.probe, verdict, outcome) } };
  }

  private async leave(
    key: DialKey,
    breakerKey: string,
    ownProbe: boolean,
    verdict: DialVerdict | null,
    outcome: DialOutcome,
  ): Promise<void> {
    if (!this.breakers.enabled) return;
    const failed = outcome === 'unknown' ? null : outcome === 'failed';
    this.breakers.leave(breakerKey, failed, ownProbe);
    const probe = verdict?.probe ?? false;
    // A success of a healthy host needs no report.
    const told = failed === true || probe || (failed === false && (verdict?.failing ?? false));
    if (!this.settings.durable || !told) return;
    const outcomeRow = { failed, probe, threshold: this.settings.breakerThreshold };
    await this.degrading(() => leaveDial(this.on.pool, key, outcomeRow));
  }

  private async askShared(key: DialKey, charges: DialCharge[]): Promise<DialVerdict | null> {
    if (!this.settings.durable) return null;
    const openSecs = this.breakers.enabled ? this.settings.breakerOpenSecs : 0;
    const verdict = await this.degrading(() =>
      enterDial(this.on.pool, key, charges, { openSecs, probeSecs: PROBE_SECS }),
    );
    await this.clearOnce(key.organizationId);
    return verdict;
  }

  /** Without the database calls continue; each process uses its own counts. */
  private async degrading<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (cause) {
      this.measured.degraded.inc();
      this.on.log.warn(
        { err: cause },
        'the shared limits of outbound calls cannot be asked; this process goes by its own',
      );
      return null;
    }
  }

  private async clearOnce(organizationId: string): Promise<void> {
    if (this.cleared.has(organizationId)) return;
    this.cleared.set(organizationId, true);
    await this.degrading(() => forgetDials(this.on.pool, organizationId));
  }

  private sharedCharges({ organizationId, userId, connectionId }: DialScopes, hostDigest: string): DialCharge[] {
    const { tenantPerMin, userPerMin, connectionPerMin, hostPerMin } = this.settings;
    const all: DialCharge[] = [
      { scope: 'tenant', key: organizationId, perMin: tenantPerMin },
      { scope: 'user', key: userId ?? '', perMin: userId === null ? 0 : userPerMin },
      { scope: 'connection', key: connectionId, perMin: connectionPerMin },
      { scope: 'host', key: hostDigest, perMin: hostPerMin },
    ];
    return all.filter(({ perMin }) => perMin > 0);
  }

  /** A person is counted by all processes together or not at all: their runs are spread over them. */
  private ownCharges(shared: readonly DialCharge[], { organizationId, hostDigest }: DialKey): Charge[] {
    const charges = shared
      .filter(({ scope }) => scope !== 'user')
      .map(({ scope, key, perMin }) => ({ key: [scope, organizationId, key].join(), perMin }));
    const perMin = this.settings.hostPerMin * ALL_ORGANIZATIONS;
    return perMin === 0 ? charges : [...charges, { key: ['host_global', '', hostDigest].join(), perMin }];
  }

  private refuse(scope: NonNullable<DialRefusal['scope']>, retryAfter: number, hostDigest: string): DialEntry {
    const reason = scope === 'breaker' ? 'breaker_open' : 'rate_limited';
    this.measured.rejections.inc({ reason });
    const retryAfterSecs = Math.max(1, Math.ceil(retryAfter));
    const what =
      scope === 'breaker'
        ? 'upstream circuit breaker open after repeated transport failures'
        : 'outbound rate limit reached';
    const text = `${what} (scope ${scope}, upstream sha256:${hostDigest}) — retry after ${retryAfterSecs}s`;
    return { refusal: { reason, scope, retryAfterSecs, text } };
  }
}

function scopeOf(key: string): NonNullable<DialRefusal['scope']> {
  return key.slice(0, key.indexOf(',')) as NonNullable<DialRefusal['scope']>;
}

function digestHost(host: string): string {
  return createHash('sha256').update(host.toLowerCase()).digest('hex').slice(0, 16);
}
