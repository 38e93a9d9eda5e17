import type { ConnectionProvider, ConnectionStatus } from '../../domain/connections/connection.js';
import type { Database } from '../record/database.js';
import { queryRows } from '../record/query-row.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import { SharedStatements } from '../record/shared-statements.js';

/** Whose webhooks come to an address: a connection's, or those of an app that we registered. */
export interface WebhookSender {
  id: string;
  organizationId: string;
  /** Null for an app. */
  provider: ConnectionProvider | null;
  /** The host's id of what is connected: an account, or an installation of an app. Null for an app. */
  accountId: string | null;
  status: ConnectionStatus;
  /** The shared secret as it rests; null for one that cannot receive anything. */
  sealed: Buffer | null;
  keyVersion: number;
}

interface SenderRow {
  id: string;
  organization_id: string;
  provider?: ConnectionProvider;
  account_id?: string;
  status: ConnectionStatus;
  sealed: Buffer | null;
  key_version: number;
}

/**
 * Finds the senders of webhooks, of all organizations, and opens the secrets that prove them. Row and secret are read for every webhook:
 * nothing opened here is kept, so what was revoked or changed counts at once. Requests that come together share one statement.
 */
export class WebhookSenders {
  private readonly connections = this.shared(
    'svc_find_webhook_connections',
    'select * from svc_find_webhook_connections($1::uuid[])',
  );
  private readonly registrations = this.shared(
    'svc_find_webhook_registrations',
    'select * from svc_find_webhook_registrations($1::uuid[])',
  );

  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly sealer: Pick<Sealer, 'open'>,
  ) {}

  connection(id: string): Promise<WebhookSender | null> {
    return this.connections.make('', id);
  }

  registration(id: string): Promise<WebhookSender | null> {
    return this.registrations.make('', id);
  }

  /** Null for a sender without a secret. @throws SandgateError `unavailable` without a sealing key */
  async secretOf({ id, organizationId, provider, sealed, keyVersion }: WebhookSender): Promise<string | null> {
    if (sealed === null) return null;
    const table = provider === null ? 'github_app_registrations' : 'integration_connections';
    const place = { organizationId, column: `${table}.webhook_secret`, row: id };
    return (await this.sealer.open(place, sealed, keyVersion)).toString('utf8');
  }

  private shared(name: string, text: string): SharedStatements<string, WebhookSender | null> {
    const find = async (ids: string[]): Promise<Map<string, WebhookSender>> => {
      const rows = await queryRows<SenderRow>(this.database.pool, { name, text, values: [[...new Set(ids)]] });
      return new Map(rows.map((row) => [row.id, toSender(row)]));
    };
    return new SharedStatements<string, WebhookSender | null>({
      together: async (_key, ids) => {
        const found = await find(ids);
        return ids.map((id) => found.get(id) ?? null);
      },
      alone: async (_key, id) => (await find([id])).get(id) ?? null,
      items: 64,
      atOnce: 1,
    });
  }
}

function toSender({ organization_id, provider, account_id, key_version, ...row }: SenderRow): WebhookSender {
  return {
    ...row,
    organizationId: organization_id,
    provider: provider ?? null,
    accountId: account_id ?? null,
    keyVersion: key_version,
  };
}
