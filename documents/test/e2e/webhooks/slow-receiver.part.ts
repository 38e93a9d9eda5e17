import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { hearsHeartbeatsWithin } from '../../../../test/support/temporal/heard-heartbeats.js';
import { appendEvent } from '../../../src/core/events/append-event.js';
import { webhookDeliveryWorkflow } from '../../../src/workflows/messages.js';
import { plantProject, plantWorkspace } from '../../support/database/plant-organization.js';
import type { LiveApi } from '../../support/installation/live-api.js';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';
import { EventReceiver } from '../../support/webhooks/event-receiver.js';

/** Half of the time-out that an attempt has. */
const HALF_MS = 2000;
/** More than a worker makes attempts at once. */
const EVENTS = 130;
/** That one webhook gets at once; twice as many, because a receiver hears late of those that were given up. */
const HELD_AT_MOST = 20;

/** A receiver that takes its time. */
export function keepsNoneWaiting(enter: Enter): void {
  let live: LivePipeline;
  let api: LiveApi;
  let slow: EventReceiver;
  let quick: EventReceiver;

  beforeAll(async () => {
    [{ live, api }, slow, quick] = await Promise.all([enter(), EventReceiver.start(), EventReceiver.start()]);
  });
  afterAll(async () => {
    await slow.close();
    await quick.close();
  });

  async function listen(projectId: string, { url }: EventReceiver): Promise<void> {
    const body = JSON.stringify({ url, events: ['document.ready'] });
    expect((await api.ask(`/api/projects/${projectId}/webhooks`, { method: 'POST', body })).status).toBe(201);
  }

  function happen(projectId: string): Promise<unknown> {
    return live.test.record.inOrganization(live.org.orgId, (tx) =>
      appendEvent(tx, { type: 'document.ready', projectId, data: { status: 'ready', links: {} } }),
    );
  }

  it('DI-022 keeps no other webhook waiting, however many events there are for it', async () => {
    const { orgId, projectId } = live.org;
    const workspaceId = await plantWorkspace(live.test.owner, orgId);
    const otherProject = await plantProject(live.test.owner, { orgId, workspaceId });
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    slow.answering = () => ({ status: 204, after });
    await listen(projectId, slow);
    await listen(otherProject, quick);
    for (let event = 0; event < EVENTS; event += 1) await happen(projectId);
    await slow.untilReceived(10);
    await live.until('all of them to be under way', 60_000, async () =>
      (await live.test.owner.query('select 1 from driver_outbox')).rowCount === 0 ? true : undefined,
    );
    await happen(otherProject);
    await quick.untilReceived(1);
    expect(slow.mostAtOnce).toBeLessThanOrEqual(HELD_AT_MOST);
    answer();
  }, 180_000);

  it('is waited for by an attempt whose heartbeats are so close that a short pause does not begin it anew', async () => {
    const { orgId } = live.org;
    const workspaceId = await plantWorkspace(live.test.owner, orgId);
    const project = await plantProject(live.test.owner, { orgId, workspaceId });
    const patient = await EventReceiver.start();
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    patient.answering = () => ({ status: 204, after });
    try {
      await listen(project, patient);
      await happen(project);
      await patient.untilReceived(1);
      const sql = 'select id from deliveries where project_id = $1';
      const { rows } = await live.test.owner.query<{ id: string }>(sql, [project]);
      const workflow = live.temporal.client.workflow.getHandle(webhookDeliveryWorkflow.workflowId(rows[0]?.id ?? ''));
      await live.until('two heartbeats', 60_000, hearsHeartbeatsWithin(HALF_MS, workflow));
    } finally {
      answer();
      await patient.close();
    }
  }, 120_000);
}
