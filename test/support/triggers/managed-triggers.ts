import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Schemas } from '../../../src/client/client.js';
import { insertConnection } from '../../../src/core/connections/connection-rows.js';
import type { ConnectionRecord } from '../../../src/domain/connections/connection.js';
import type { ScheduleDriver } from '../../../src/core/driver/schedule-driver.js';
import { startApi, type Answer, type CallOptions, type TestApi } from '../api/api.js';

export type CreatedTrigger = Schemas['CreatedTrigger'];
export type ChangedTrigger = Schemas['ChangedTrigger'];
export type TriggerWithHistory = Schemas['TriggerWithHistory'];
export type RotatedToken = Schemas['RotatedToken'];

/** What an API needs to seal the secrets of callbacks. */
export const SEALING = { SERVICE_KMS_MODE: 'off', SERVICE_CREDENTIAL_KEY: randomBytes(32).toString('base64') };

/** An API with an agent, `bee`, whose triggers are made and changed over its routes. */
export class ManagedTriggers {
  private constructor(readonly api: TestApi) {}

  /** @param schedules is told of clocks that were changed, in place of Temporal */
  static async start(
    env: Record<string, string> = SEALING,
    schedules?: Pick<ScheduleDriver, 'sync'>,
  ): Promise<ManagedTriggers> {
    const api = await startApi(env, [], schedules === undefined ? {} : { schedules });
    const bench = new ManagedTriggers(api);
    bench.expectOk(await api.post('/v1/agents', { name: 'bee', harness: 'replay', policy: 'standard' }));
    return bench;
  }

  /** A body that is accepted, with members in place of its own. */
  body(members: object = {}): Record<string, unknown> {
    return { agent: 'bee', name: `trigger ${uuidv7()}`, task_template: '[]', ...members };
  }

  post(members: object = {}, options: CallOptions = {}): Promise<Answer> {
    return this.api.post('/v1/triggers', this.body(members), options);
  }

  async create(members: object = {}): Promise<CreatedTrigger> {
    return this.expectOk(await this.post(members)) as unknown as CreatedTrigger;
  }

  patch(id: string, changes: object, options: CallOptions = {}): Promise<Answer> {
    return this.api.call('PATCH', `/v1/triggers/${id}`, { body: changes, ...options });
  }

  async change(id: string, changes: object): Promise<ChangedTrigger> {
    return this.expectOk(await this.patch(id, changes)) as unknown as ChangedTrigger;
  }

  async read(id: string): Promise<TriggerWithHistory> {
    return this.expectOk(await this.api.get(`/v1/triggers/${id}`)) as unknown as TriggerWithHistory;
  }

  async count(): Promise<number> {
    const { rows } = await this.api.database.owner.query<{ n: string }>('select count(*) n from trigger_subscriptions');
    return Number(rows[0]?.n);
  }

  /** A connection to a code host as it is stored, of the organization and able to receive events unless said otherwise. */
  async connection(members: Partial<ConnectionRecord> & { webhookSecret?: null } = {}): Promise<string> {
    const { webhookSecret = { bytes: randomBytes(60), keyVersion: 1 as const }, ...columns } = members;
    const id = uuidv7();
    await this.api.db.withTenant(this.api.organizationId, (tx) =>
      insertConnection(tx, {
        id,
        provider: 'codehost_app',
        external_account_id: id,
        display_name: 'hub',
        status: 'active',
        auth_kind: 'static',
        owner_type: 'organization',
        owner_user_id: null,
        created_by_user_id: null,
        webhookSecret,
        ...columns,
      }),
    );
    return id;
  }

  private expectOk(answer: Answer): Answer['body'] {
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.body;
  }
}
