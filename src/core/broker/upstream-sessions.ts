import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isUrlInside } from '../../domain/connections/url-inside.js';
import { BindingEntity } from '../bindings/binding.entity.js';
import type { ConnectionRecords } from '../connections/connection-records.js';
import type { Database } from '../record/database.js';
import {
  listUpstreamSessions,
  markUpstreamSessionDeleted,
  rememberUpstreamSession,
  type UpstreamSession,
} from './upstream-session-rows.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';
import { endSession } from '../../platform/mcp/connection.js';
import { McpSession, type Handshake } from '../../platform/mcp/mcp-session.js';
import { authorityOf, type CallTarget } from './upstream-call.js';

/** Proof that nothing of a call was written, with the reason in our own words. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

const MAX_SESSIONS = 1000;

interface Run {
  organizationId: string;
  runId: string;
}

/**
 * The sessions that this process has at MCP servers: one for each run and binding, never shared, and none taken over from another
 * process adopted (docs/design/broker.md). What a server issued is remembered in the record, so that whoever ends the run can end
 * it.
 */
export class UpstreamSessions {
  private readonly open = new LRUCache<string, Promise<McpSession>>({ max: MAX_SESSIONS });
  private readonly replica = randomUUID();

  constructor(
    private readonly on: {
      database: Database;
      client: GuardedClient;
      records: Pick<ConnectionRecords, 'read'>;
    },
  ) {}

  /**
   * The session of a run and binding.
   *
   * @param headers makes the credential of the current call
   * @throws NotSent when the connection is not for this address
   */
  of(target: CallTarget, headers: () => Promise<Record<string, string>>): Promise<McpSession> {
    const key = keyOf(target.runId, target.binding.id);
    const known = this.open.get(key);
    if (known !== undefined) return known;
    const opening = this.create(target, headers);
    this.open.set(key, opening);
    opening.catch(() => this.open.delete(key));
    return opening;
  }

  /**
   * Asks the servers to end every session that was opened for a run, with a credential resolved now. One whose credential is not
   * available stays, and is given up later without a request.
   *
   * @param headersOf null where the authority of that binding is gone
   */
  async close(run: Run, headersOf: (slot: string) => Promise<Record<string, string> | null>): Promise<void> {
    for (const key of [...this.open.keys()]) if (key.startsWith(`${run.runId} `)) this.open.delete(key);
    const rows = await this.on.database.withTenant(run.organizationId, async (tx) => {
      const open = await listUpstreamSessions(tx, run.runId);
      const slots = await tx.manager.find(BindingEntity, {
        select: { id: true, requirement_slot: true },
        where: { session_id: run.runId, slot_kind: 'mcp' },
      });
      return open.map((row) => ({ row, slot: slots.find(({ id }) => id === row.bindingId)?.requirement_slot }));
    });
    await Promise.all(rows.map(({ row, slot }) => this.end(run, row, slot === undefined ? null : headersOf(slot))));
  }

  private async end(
    run: Run,
    row: UpstreamSession,
    resolving: Promise<Record<string, string> | null> | null,
  ): Promise<void> {
    const headers = await headersOrNull(resolving);
    if (headers === null) return;
    await endSession({
      client: this.on.client,
      url: row.endpointUrl,
      headers,
      sessionId: row.upstreamSessionId,
      protocolVersion: row.protocolVersion,
    });
    await this.on.database.withTenant(run.organizationId, (tx) => markUpstreamSessionDeleted(tx, row));
  }

  private async create(target: CallTarget, headers: () => Promise<Record<string, string>>): Promise<McpSession> {
    const { organizationId, toolSet } = target;
    const { connectionId } = authorityOf(target);
    const connection = await this.on.records.read(organizationId, connectionId);
    if (connection?.provider !== 'mcp_http') throw new NotSent('the bound connection is not of an MCP server');
    const base = connection.metadata.base_url;
    if (base === undefined || !isUrlInside(base, toolSet.url)) {
      throw new NotSent("the address of this slot is outside of the connection's base_url");
    }
    return new McpSession({
      client: this.on.client,
      url: toolSet.url,
      headers,
      frozen: { protocolVersion: toolSet.protocol_version, tools: toolSet.tools },
      refreshPath: `/v1/connections/${connectionId}/tools/refresh`,
      onHandshake: (handshake) => this.remember(target, handshake),
    });
  }

  /** Recorded before the call is sent, because an unknown session would never be ended. */
  private async remember(target: CallTarget, { upstreamSessionId, protocolVersion }: Handshake): Promise<void> {
    if (upstreamSessionId === null) return;
    const { organizationId, runId, binding, toolSet } = target;
    const { replica } = this;
    const row = {
      runId,
      bindingId: binding.id,
      replica,
      upstreamSessionId,
      endpointUrl: toolSet.url,
      protocolVersion,
    };
    try {
      await this.on.database.withTenant(organizationId, (tx) => rememberUpstreamSession(tx, row));
    } catch (cause) {
      throw new NotSent('the upstream session could not be put on the record', { cause });
    }
  }
}

async function headersOrNull(
  resolving: Promise<Record<string, string> | null> | null,
): Promise<Record<string, string> | null> {
  try {
    return await resolving;
  } catch (cause) {
    if (cause instanceof NotSent) return null;
    throw cause;
  }
}

function keyOf(runId: string, bindingId: string): string {
  return `${runId} ${bindingId}`;
}
