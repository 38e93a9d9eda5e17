import type { Database, TenantTransaction } from '../db/database.js';
import type { Sealer } from './sealer.js';

export type PayloadKind = 'input' | 'result' | 'policy_view';

export interface PayloadKey {
  organizationId: string;
  sessionId: string;
  toolCallId: string;
  kind: PayloadKind;
}

/** One call of one run. */
export type CallRef = Pick<PayloadKey, 'sessionId' | 'toolCallId'>;

export function callKey(call: CallRef): string {
  return `${call.sessionId}:${call.toolCallId}`;
}

/** Bytes as they rest; key version 0 is clear text. */
export interface RestingPayload {
  sealed: Buffer;
  keyVersion: number;
}

const CLEAR = 0;

/** The one place where tool inputs and results rest (06-gate §8), sealed per organization and row. */
export class ToolCallPayloads {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
  ) {}

  /**
   * What the row may hold. Without a sealing key an input stays in clear under row-level isolation, for as long as its
   * approval is pending; nothing else is kept then (null).
   */
  async protect(key: PayloadKey, text: string): Promise<RestingPayload | null> {
    if (!this.sealer.available) {
      return key.kind === 'input' ? { sealed: Buffer.from(text, 'utf8'), keyVersion: CLEAR } : null;
    }
    const { bytes, keyVersion } = await this.sealer.seal(placeOf(key), text);
    return { sealed: bytes, keyVersion };
  }

  /** Stores a protected payload; the first one of its kind stays. */
  async store(tx: TenantTransaction, key: PayloadKey, payload: RestingPayload, keepSecs: number | null): Promise<void> {
    await tx.query(
      `insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version, expires_at)
       values ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7))
       on conflict (session_id, tool_call_id, kind) do nothing`,
      [key.organizationId, key.sessionId, key.toolCallId, key.kind, payload.sealed, payload.keyVersion, keepSecs],
    );
  }

  /** The text, or null when nothing rests there (any more). */
  async open(key: PayloadKey): Promise<string | null> {
    const [row] = await this.db.withTenant(key.organizationId, (tx) =>
      tx.query<{ sealed: Buffer; key_version: number }>(
        `select sealed, key_version from tool_call_payloads
         where session_id = $1 and tool_call_id = $2 and kind = $3 and (expires_at is null or expires_at > clock_timestamp())`,
        [key.sessionId, key.toolCallId, key.kind],
      ),
    );
    return row === undefined ? null : this.openRow(key, row);
  }

  /** Opens what rests under many calls of one kind with one read; the result is keyed by {@link callKey}. */
  async openMany(organizationId: string, kind: PayloadKind, calls: readonly CallRef[]): Promise<Map<string, string>> {
    if (calls.length === 0) return new Map();
    const rows = await this.db.withTenant(organizationId, (tx) =>
      tx.query<{ session_id: string; tool_call_id: string; sealed: Buffer; key_version: number }>(
        `select p.session_id, p.tool_call_id, p.sealed, p.key_version
           from unnest($1::uuid[], $2::text[]) as asked (session_id, tool_call_id)
           join tool_call_payloads p on p.session_id = asked.session_id and p.tool_call_id = asked.tool_call_id
          where p.kind = $3 and (p.expires_at is null or p.expires_at > clock_timestamp())`,
        [calls.map((call) => call.sessionId), calls.map((call) => call.toolCallId), kind],
      ),
    );
    const opened = new Map<string, string>();
    for (const row of rows) {
      const key = { organizationId, sessionId: row.session_id, toolCallId: row.tool_call_id, kind };
      opened.set(callKey(key), await this.openRow(key, row));
    }
    return opened;
  }

  private async openRow(key: PayloadKey, row: { sealed: Buffer; key_version: number }): Promise<string> {
    if (row.key_version === CLEAR) return row.sealed.toString('utf8');
    return (await this.sealer.open(placeOf(key), row.sealed, row.key_version)).toString('utf8');
  }

  async remove(tx: TenantTransaction, key: Omit<PayloadKey, 'organizationId'>): Promise<void> {
    await tx.query('delete from tool_call_payloads where session_id = $1 and tool_call_id = $2 and kind = $3', [
      key.sessionId,
      key.toolCallId,
      key.kind,
    ]);
  }
}

function placeOf(key: PayloadKey): { organizationId: string; column: string; row: string } {
  return {
    organizationId: key.organizationId,
    column: 'tool_call_payloads.sealed',
    row: `${key.sessionId}:${key.toolCallId}:${key.kind}`,
  };
}
