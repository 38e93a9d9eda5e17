import { Egress } from '../../../../src/platform/egress/egress.js';
import { appendEvent } from '../../../src/core/events/append-event.js';
import { attemptDelivery, type DeliveryPlace } from '../../../src/core/webhooks/attempt-delivery.js';
import { DeliveryTurns } from '../../../src/core/webhooks/delivery-turns.js';
import { WebhookSecrets } from '../../../src/core/webhooks/webhook-secrets.js';
import { Sealer } from '../../../src/platform/seal/sealer.js';
import { SEAL_KEY, startApi, type Answer, type TestApi, type TestOrganization } from '../api/api.js';
import { EventReceiver } from './event-receiver.js';

export interface Delivery {
  id: string;
  status: string;
  attempts: { number: number; statusCode: number | null; error: string | null; responseSnippet: string | null }[];
  nextAttemptAt: string | null;
}

/** The API with a project, a receiver, and deliveries that are made when a spec says so. */
export interface WebhooksBench {
  api: TestApi;
  acme: TestOrganization;
  projectId: string;
  receiver: EventReceiver;
  place: DeliveryPlace;
  create(body?: object): Promise<Answer<{ id: string; secret: string }>>;
  /** An event of the project. @returns ids of its deliveries */
  happen(type: string, projectId?: string): Promise<string[]>;
  /** Makes the attempt that is due. */
  attempt(deliveryId: string, place?: DeliveryPlace): Promise<number | null>;
  read(deliveryId: string): Promise<Delivery>;
  /** As if its waiting time were over. */
  makeDue(deliveryId: string): Promise<void>;
  close(): Promise<void>;
}

export async function openWebhooksBench(): Promise<WebhooksBench> {
  const receiver = await EventReceiver.start();
  const api = await startApi({ DOCSVC_EGRESS_ALLOW_CIDRS: '127.0.0.0/8', DOCSVC_RATE_REQUESTS_PER_MIN: '100000' });
  const acme = await api.organization();
  const post = <B>(path: string, body: object): Promise<Answer<B>> => acme.ask<B>(path, { method: 'POST', body });
  const workspace = await post<{ id: string }>('/api/workspaces', { name: 'W' });
  const project = await post<{ id: string }>('/api/projects', { name: 'P', workspaceId: workspace.body.id });
  const projectId = project.body.id;
  const egress = new Egress({ allowCidrs: ['127.0.0.0/8'], proxy: null });
  const { record, owner } = api.database;
  const place = {
    record,
    secrets: new WebhookSecrets(new Sealer(Buffer.from(SEAL_KEY, 'base64'))),
    client: egress.guarded,
    publicUrl: 'https://docs.example',
    turns: new DeliveryTurns(),
  };
  return {
    ...{ api, acme, projectId, receiver, place },
    create: (body = {}) => post(`/api/projects/${projectId}/webhooks`, { url: receiver.url, events: ['*'], ...body }),
    happen: async (type, ofProject = projectId) => {
      const data = { documentId: 'd1', status: 'ready', links: { document: '/api/documents/d1' } };
      const eventId = await record.inOrganization(acme.orgId, (tx) =>
        appendEvent(tx, { type, projectId: ofProject, data }),
      );
      const { rows } = await owner.query<{ id: string }>('select id from deliveries where event_id = $1', [eventId]);
      return rows.map(({ id }) => id);
    },
    attempt: (deliveryId, other = place) => attemptDelivery(other, { orgId: acme.orgId, deliveryId }),
    read: async (deliveryId) => (await acme.ask<Delivery>(`/api/deliveries/${deliveryId}`)).body,
    makeDue: async (deliveryId) => {
      await owner.query('update deliveries set next_attempt_at = now() where id = $1', [deliveryId]);
    },
    close: async () => {
      await egress.close();
      await api.close();
      await receiver.close();
    },
  };
}
