import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { writePolicyView } from '../../../domain/simulation/policy-view.js';
import type { GateAnswer, GateCall, GateOutcome } from '../../../core/gate/gate.js';
import { ToolCallPayloads } from '../../../core/gate/tool-call-payloads.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { ViewBuffer } from './view-buffer.js';

const SECS_PER_DAY = 86_400;
/** Views that one statement writes. */
const BATCH = 256;

/** Outcomes after which the registry holds this tool with the digest of this input. A reused id is not among them. */
const REGISTERED: ReadonlySet<GateOutcome> = new Set<GateOutcome>([
  'allow',
  'deny',
  'session_allow',
  'asked',
  'pending',
  'replay_allow',
  'replay_deny',
  'budget',
]);

/** What became of the views of this process. */
export interface PolicyHistoryCounts {
  kept: number;
  /** Dropped because too many were waiting, or the run has too many. */
  dropped: number;
  /** Lost because they could not be written. */
  failed: number;
  /** Not kept because they cannot be kept whole. */
  tooLarge: number;
}

/**
 * Stores what policy reads of each gated call, without delaying the gate (docs/policy-history.md). Views wait in memory and are
 * written many at a time: when {@link BATCH} wait, or when nobody is at the gate. What is lost — a crash, a full buffer, a
 * database that is away — is unknown to later simulations and refuses no call.
 */
@Injectable()
export class PolicyHistory implements OnApplicationShutdown {
  readonly counts: PolicyHistoryCounts = { kept: 0, dropped: 0, failed: 0, tooLarge: 0 };
  private readonly keepSecs: number;
  private readonly waiting = new ViewBuffer();
  private atTheGate = 0;
  private writing: Promise<void> | null = null;
  private droppedUnreported = 0;

  constructor(
    config: ApiConfig,
    private readonly payloads: ToolCallPayloads,
    private readonly logger: PinoLogger,
  ) {
    this.keepSecs = payloads.keepsPolicyViews ? config.ledger.policyHistoryDays * SECS_PER_DAY : 0;
  }

  /** Runs a decision of the gate and keeps the view of the call once it is on the record. */
  async during(call: GateCall, input: ExactJson, decide: () => Promise<GateAnswer>): Promise<GateAnswer> {
    if (this.keepSecs === 0) return decide();
    this.atTheGate += 1;
    try {
      const answer = await decide();
      if (REGISTERED.has(answer.outcome)) this.keep(call, input);
      return answer;
    } finally {
      this.atTheGate -= 1;
      this.writeWhenDue();
    }
  }

  /** After the last request: what waits is written before the connections to the database close. */
  async onApplicationShutdown(): Promise<void> {
    while (this.writing !== null || this.waiting.size > 0) {
      this.writing ??= this.writeBatch();
      await this.writing;
    }
  }

  private keep({ organizationId, runId, toolCallId, tool }: GateCall, input: ExactJson): void {
    const text = writePolicyView({ tool, input });
    if (text === null) {
      this.counts.tooLarge += 1;
      return;
    }
    if (this.waiting.add({ organizationId, runId, toolCallId, text })) return;
    this.counts.dropped += 1;
    this.droppedUnreported += 1;
  }

  private writeWhenDue(): void {
    if (this.writing !== null || this.waiting.size === 0) return;
    if (this.waiting.size >= BATCH || this.atTheGate === 0) this.writing = this.writeBatch();
  }

  /** Never rejects. */
  private async writeBatch(): Promise<void> {
    for (const [organizationId, views] of this.waiting.take(BATCH)) {
      try {
        this.counts.kept += await this.payloads.storePolicyViews(organizationId, views, this.keepSecs);
      } catch (error) {
        this.counts.failed += views.length;
        this.logger.warn({ err: error, views: views.length }, 'policy views were lost: they could not be written');
      }
    }
    this.reportDropped();
    this.writing = null;
    this.writeWhenDue();
  }

  private reportDropped(): void {
    if (this.droppedUnreported === 0) return;
    const views = this.droppedUnreported;
    this.droppedUnreported = 0;
    this.logger.warn(
      { views, dropped: this.counts.dropped },
      'policy views were dropped: too many waited, or a run has too many',
    );
  }
}
