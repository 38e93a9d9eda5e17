import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const SAYS = [{ say: 'hello' }];
const WORKS = [{ tool: 'Bash', input: { command: 'node -e "setTimeout(()=>{},4000)"' } }];
const WORKS_LONG = [{ tool: 'Bash', input: { command: 'node -e "setTimeout(()=>{},60000)"' } }];
const ASKS = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];
const MANY_FILES = 8000;

/** Each plays one path of the `run` workflow to its end and answers which execution shows it. */
export const runPaths = {
  'run-completed': async (stage) => {
    const id = await stage.start('actor', [{ tool: 'Bash', input: { command: 'echo hello' } }, ...SAYS]);
    await stage.until(id, 'completed');
    return stage.closed(id);
  },
  'run-approved': (stage) => decided(stage, 'approved_once'),
  'run-denied': (stage) => decided(stage, 'denied'),
  'run-approval-expired': async (stage) => {
    const id = await stage.start('impatient', ASKS);
    await stage.approval(id);
    // The API settles what expires while it waits; without it the workflow's timer does.
    const api = -stage.installation.pids.api;
    process.kill(api, 'SIGSTOP');
    try {
      await stage.wait('the expiry', async () => {
        const { rows } = await stage.database.query('select status from approvals where session_id = $1', [id]);
        return rows[0].status === 'expired' ? true : undefined;
      });
    } finally {
      process.kill(api, 'SIGCONT');
    }
    await stage.until(id, 'completed');
    return stage.closed(id);
  },
  'run-authorized': async (stage) => {
    const id = await stage.start('networked', SAYS);
    await stage.decide(await stage.approval(id), 'approved_once');
    await stage.until(id, 'completed');
    return stage.closed(id);
  },
  'run-not-authorized': async (stage) => {
    const id = await stage.start('networked', SAYS);
    await stage.decide(await stage.approval(id), 'denied');
    await stage.until(id, 'failed');
    return stage.closed(id);
  },
  'run-queued': async (stage) => {
    const first = await stage.start('actor', WORKS);
    const id = await stage.start('actor', SAYS);
    await stage.until(id, 'queued');
    await stage.until(id, 'completed');
    await stage.closed(first);
    return stage.closed(id);
  },
  'run-cancelled-queued': async (stage) => {
    const first = await stage.start('actor', WORKS);
    const id = await stage.start('actor', SAYS);
    await stage.until(id, 'queued');
    await stage.cancel(id);
    await stage.until(id, 'cancelled');
    await stage.closed(first);
    return stage.closed(id);
  },
  'run-queue-expired': async (stage) => {
    const first = await stage.start('actor', WORKS_LONG);
    const id = await stage.start('actor', SAYS);
    await stage.until(id, 'failed');
    await stage.cancel(first);
    await stage.closed(first);
    return stage.closed(id);
  },
  'run-requeued': (stage) =>
    whileHostIsFull(stage, async (makeRoom) => {
      const id = await stage.start('actor', SAYS);
      await untilRefused(stage, id);
      await makeRoom();
      await stage.until(id, 'completed');
      return stage.closed(id);
    }),
  'run-capacity-exhausted': (stage) =>
    whileHostIsFull(stage, async () => {
      const id = await stage.start('actor', SAYS);
      await stage.until(id, 'failed');
      return stage.closed(id);
    }),
  'run-cancelled-requeued': (stage) =>
    whileHostIsFull(stage, async () => {
      const id = await stage.start('actor', SAYS);
      await untilRefused(stage, id);
      await stage.cancel(id);
      await stage.until(id, 'cancelled');
      return stage.closed(id);
    }),
  'run-cancelled-launching': async (stage) => {
    mkdirSync(join(stage.files, 'big'), { recursive: true });
    for (let file = 0; file < MANY_FILES; file += 1) writeFileSync(join(stage.files, 'big', `f${file}`), `${file}\n`);
    const workspace = { kind: 'local_copy', path: join(stage.files, 'big') };
    const id = await stage.start('actor', SAYS, { workspace });
    await stage.until(id, 'initializing');
    await stage.cancel(id);
    await stage.until(id, 'cancelled');
    return stage.closed(id);
  },
  'run-cancelled-running': async (stage) => {
    const id = await stage.start('actor', WORKS_LONG);
    await stage.until(id, 'running');
    await delay(1000);
    await stage.cancel(id);
    await stage.until(id, 'cancelled');
    return stage.closed(id);
  },
  'run-cancelled-waiting': async (stage) => {
    const id = await stage.start('actor', ASKS);
    await stage.approval(id);
    await stage.cancel(id);
    await stage.until(id, 'cancelled');
    return stage.closed(id);
  },
  'run-call-budget': async (stage) => {
    const id = await stage.start(
      'frugal',
      [1, 2, 3].map((step) => ({ tool: 'Bash', input: { command: `echo ${step}` } })),
    );
    await stage.until(id, 'budget_exceeded');
    return stage.closed(id);
  },
  'run-wall-clock': async (stage) => {
    const id = await stage.start('brief', WORKS_LONG);
    await stage.until(id, 'running');
    await delay(500);
    // Away from before the warning is due until after the end, which then is all that is left to do.
    const worker = -stage.installation.pids.worker;
    process.kill(worker, 'SIGSTOP');
    try {
      await stage.wait('the end of the clock', async () => {
        const { rows } = await stage.database.query(
          `select clock_timestamp() > started_at + interval '3 s' as is_over from sessions where id = $1`,
          [id],
        );
        return rows[0].is_over ? true : undefined;
      });
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    await stage.until(id, 'budget_exceeded');
    return stage.closed(id);
  },
  'run-wall-clock-warned': async (stage) => {
    const id = await stage.start('brief', WORKS_LONG);
    await stage.until(id, 'budget_exceeded');
    return stage.closed(id);
  },
  'run-script-failed': async (stage) => {
    const id = await stage.start('actor', { no: 'list' });
    await stage.until(id, 'failed');
    return stage.closed(id);
  },
  'run-launch-failed': async (stage) => {
    const workspace = { kind: 'git_repository', clone_url: `file://${stage.files}/nothing-here` };
    const id = await stage.start('actor', SAYS, { workspace });
    await stage.until(id, 'failed');
    return stage.closed(id);
  },
  'run-sandbox-died': async (stage) => {
    const id = await stage.start('free', [{ tool: 'Bash', input: { command: 'kill -9 -1' } }, ...WORKS_LONG]);
    await stage.until(id, 'failed');
    return stage.closed(id);
  },
  'run-host-lost': async (stage) => {
    const host = await addHostThatIsAway(stage);
    const id = await stage.start('actor', SAYS);
    await stage.until(id, 'failed');
    const execution = await stage.closed(id);
    await stage.database.query('delete from hosts where id = $1', [host]);
    return execution;
  },
  'run-continued-as-new': async (stage) => {
    const id = await stage.start('actor', ASKS);
    const approval = await stage.approval(id);
    const handle = stage.client.workflow.getHandle(`run-${id}`);
    const { runId } = await handle.describe();
    await stage.wait('a new execution', async () => {
      await handle.signal('approvalRequested');
      await delay(20);
      return (await handle.describe()).runId === runId ? undefined : true;
    });
    await stage.decide(approval, 'approved_once');
    await stage.until(id, 'completed');
    await stage.closed(id);
    return { workflowId: `run-${id}`, runId };
  },
  'run-resumed-running': (stage) => resumed(stage, WORKS, async (id) => stage.until(id, 'running')),
  'run-resumed-waiting': (stage) =>
    resumed(
      stage,
      ASKS,
      (id) => stage.approval(id),
      (approval) => stage.decide(approval, 'denied'),
    ),
};

/** The workflows that stand beside the runs. */
export const permanentPaths = {
  relay: async () => ({ workflowId: 'relay', runId: undefined }),
  maintenance: (stage) => round(stage),
  'maintenance-schedules': (stage) => round(stage),
  'maintenance-local': (stage) => round(stage),
  'maintenance-host-away': async (stage) => {
    const host = await addHostThatIsAway(stage);
    const execution = await round(stage);
    await stage.database.query('delete from hosts where id = $1', [host]);
    return execution;
  },
};

async function decided(stage, decision) {
  const id = await stage.start('actor', ASKS);
  await stage.decide(await stage.approval(id), decision);
  await stage.until(id, 'completed');
  return stage.closed(id);
}

/** A run whose workflow was lost on the way; maintenance starts another that goes on from the row. */
async function resumed(stage, steps, reach, then = async () => undefined) {
  const id = await stage.start('actor', steps);
  const reached = await reach(id);
  const handle = stage.client.workflow.getHandle(`run-${id}`);
  const { runId } = await handle.describe();
  await handle.terminate('recorded as lost');
  await stage.wait('another execution', async () => ((await handle.describe()).runId === runId ? undefined : true));
  await then(reached);
  await stage.until(id, 'completed');
  return stage.closed(id);
}

/** Every uid of the host is taken, as far as the record knows; `makeRoom` gives them back. Sandboxes must be started as root. */
async function whileHostIsFull(stage, play) {
  const { rows } = await stage.database.query(
    `insert into sandbox_uids (uid, host_id, session_id)
     select uid, hosts.id, gen_random_uuid() from hosts, generate_series(231000, 231000 + 4095) uid
     on conflict do nothing returning session_id`,
  );
  const taken = rows.map((row) => row.session_id);
  const makeRoom = () => stage.database.query('delete from sandbox_uids where session_id = any($1)', [taken]);
  try {
    return await play(makeRoom);
  } finally {
    await makeRoom();
  }
}

/** The run's host said that it is full, and the run is in the queue again. */
function untilRefused(stage, id) {
  return stage.wait(`run ${id} to be refused by its host`, async () => {
    const { rows } = await stage.database.query('select status, launch_attempts from sessions where id = $1', [id]);
    return rows[0].launch_attempts > 0 && rows[0].status === 'queued' ? true : undefined;
  });
}

/** A sandbox host with room that nobody serves. */
async function addHostThatIsAway(stage) {
  const { rows } = await stage.database.query(
    "insert into hosts (id, name, capacity, last_seen_at) values (gen_random_uuid(), 'away', 100000, now()) returning id",
  );
  return rows[0].id;
}

/** A whole round of maintenance that began after now. */
async function round(stage) {
  const since = new Date();
  const execution = await stage.wait('a round of maintenance', async () => {
    const query = `WorkflowType = 'maintenance' and ExecutionStatus = 'Completed' and StartTime > '${since.toISOString()}'`;
    for await (const found of stage.client.workflow.list({ query })) return found;
    return undefined;
  });
  return { workflowId: execution.workflowId, runId: execution.runId };
}
