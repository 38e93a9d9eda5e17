import { randomUUID } from 'node:crypto';

/** A schedule of the agent `actor`, as the API leaves it in the record; maintenance has Temporal wake it. */
async function addSchedule(stage, cron, nextFireAt) {
  const id = randomUUID();
  await stage.database.query(
    `insert into trigger_subscriptions (id, tenant_id, agent_id, name, trigger_kind, task_template)
     select $1::uuid, tenant_id, id, $1::text, 'schedule', '[{"say":"hello"}]' from agents where name = 'actor'`,
    [id],
  );
  await stage.database.query(
    `insert into schedules (id, tenant_id, subscription_id, cron, timezone, next_fire_at)
     select gen_random_uuid(), tenant_id, id, $2, 'UTC', $3 from trigger_subscriptions where id = $1`,
    [id, cron, nextFireAt],
  );
  return id;
}

/** The execution of some wake-up of the schedule whose outcome is this. */
function wakeUp(stage, id, outcome) {
  return stage.wait(`a wake-up that ends ${outcome}`, async () => {
    const query = `WorkflowType = 'scheduledInvocation' and ExecutionStatus = 'Completed'`;
    for await (const { workflowId, runId } of stage.client.workflow.list({ query })) {
      if (!workflowId.startsWith(`trigger-${id}`)) continue;
      if ((await stage.client.workflow.getHandle(workflowId, runId).result()) === outcome) return { workflowId, runId };
    }
    return undefined;
  });
}

/** Each plays one wake-up of a schedule; the clock of every trigger stands still afterwards. */
async function play(stage, cron, outcome) {
  const id = await addSchedule(stage, cron, new Date(Math.floor(Date.now() / 1000) * 1000));
  try {
    return await wakeUp(stage, id, outcome);
  } finally {
    await stage.database.query('update trigger_subscriptions set enabled = false where id = $1', [id]);
  }
}

export const schedulePaths = {
  'schedule-fired': (stage) => play(stage, '*/3 * * * * *', 'fired'),
  // Temporal wakes a schedule more often than it fires.
  'schedule-idle': async (stage) => {
    const id = await addSchedule(stage, '0 0 1 1 *', new Date(Date.now() + 86_400_000));
    const handle = stage.client.schedule.getHandle(`trigger-${id}`);
    await stage.wait('the schedule', () =>
      handle.trigger().then(
        () => true,
        (error) => {
          if (error.name !== 'ScheduleNotFoundError') throw error;
        },
      ),
    );
    return wakeUp(stage, id, 'idle');
  },
};
