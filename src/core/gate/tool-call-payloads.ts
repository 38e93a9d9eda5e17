import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../record/database.js';
import { insertPolicyViews, type SealedPolicyView } from './policy-views.js';
import type { RestingValue, Sealer } from '../../platform/seal/sealer.js';

export type PayloadKind = 'input' | 'result' | 'policy_view';

export interface PayloadKey {
  organizationId: string;
  runId: string;
  toolCallId: string;
  kind: PayloadKind;
}

/** One call of one run. */
export type CallRef = Pick<PayloadKey, 'runId' | 'toolCallId'>;

export function callKey(call: CallRef): string {
  return `${call.runId}:${call.toolCallId}`;
}

/** What policy read of one call, in clear, before it is sealed and stored. */
export interface PolicyViewText extends CallRef {
  text: string;
}

const CLEAR = 0;
/** Sealing one takes about 20 µs; between two slices the process does other work. */
const SEALED_PER_TURN = 16;

/** The one place where tool inputs and results are stored (docs/design/sealing.md), sealed per organization and row. */
export class ToolCallPayloads {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
  ) {}

  /**
   * What the row may hold. Without a sealing key an input stays in clear under row-level isolation, for as long as its
   * approval is pending; nothing else is kept then (null).
   */
  async protect(key: PayloadKey, text: string): Promise<RestingValue | null> {
    if (!this.sealer.available) {
      return key.kind === 'input' ? { sealed: Buffer.from(text, 'utf8'), keyVersion: CLEAR } : null;
    }
    return this.seal(key, text);
  }

  /** Whether inputs and answers of brokered calls can be kept: only sealed ones are. */
  get keepsAnswers(): boolean {
    return this.sealer.available;
  }

  /** @throws SandgateError `unavailable` without a sealing key */
  async seal(key: PayloadKey, text: string): Promise<RestingValue> {
    const { bytes, keyVersion } = await this.sealer.seal(placeOf(key), text);
    return { sealed: bytes, keyVersion };
  }

  /** Whether a policy view can be kept: without a sealing key none is. */
  get keepsPolicyViews(): boolean {
    return this.sealer.available;
  }

  /**
   * Seals and stores the policy views of calls of one organization, each in its own place, with one statement.
   *
   * @param keepSecs retention in seconds
   * @returns how many are new
   * @throws SandgateError `unavailable` without a sealing key
   */
  async storePolicyViews(organizationId: string, views: readonly PolicyViewText[], keepSecs: number): Promise<number> {
    const rows: SealedPolicyView[] = [];
    for (const [i, { runId, toolCallId, text }] of views.entries()) {
      if (i % SEALED_PER_TURN === SEALED_PER_TURN - 1) await nextTurn();
      const resting = await this.seal({ organizationId, runId, toolCallId, kind: 'policy_view' }, text);
      rows.push({ runId, toolCallId, ...resting });
    }
    return insertPolicyViews(this.db.pool, organizationId, rows, keepSecs);
  }

  /** Opens the payloads of one kind of many calls with one read; the result is keyed by {@link callKey}. */
  async openMany(organizationId: string, kind: PayloadKind, calls: readonly CallRef[]): Promise<Map<string, string>> {
    if (calls.length === 0) return new Map();
    const rows = await this.db.withTenant(organizationId, (tx) =>
      tx.query<{ session_id: string; tool_call_id: string; sealed: Buffer; key_version: number }>(
        'select * from svc_read_payloads($1, $2::uuid[], $3::text[])',
        [kind, calls.map((call) => call.runId), calls.map((call) => call.toolCallId)],
      ),
    );
    const opened = new Map<string, string>();
    for (const row of rows) {
      const key = { organizationId, runId: row.session_id, toolCallId: row.tool_call_id, kind };
      opened.set(callKey(key), await this.openResting(key, { sealed: row.sealed, keyVersion: row.key_version }));
    }
    return opened;
  }

  /**
   * The text of a payload that was read with other rows.
   *
   * @throws SandgateError as {@link Sealer.open}
   */
  async openResting(key: PayloadKey, { sealed, keyVersion }: RestingValue): Promise<string> {
    if (keyVersion === CLEAR) return sealed.toString('utf8');
    return (await this.sealer.open(placeOf(key), sealed, keyVersion)).toString('utf8');
  }
}

function placeOf(key: PayloadKey): { organizationId: string; column: string; row: string } {
  return {
    organizationId: key.organizationId,
    column: 'tool_call_payloads.sealed',
    row: `${key.runId}:${key.toolCallId}:${key.kind}`,
  };
}
