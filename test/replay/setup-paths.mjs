import process from 'node:process';

const SAYS = [{ say: 'hello' }];
const ASKS = ['sh deploy.sh || true'];

/** Paths of runs whose workspaces are prepared by commands. */
export const setupPaths = {
  'run-setup-approved': async (stage) => {
    await prepareAgent(stage, 'setup-asking', 'standard', ASKS);
    const id = await stage.start('setup-asking', SAYS);
    await stage.decide(await stage.approval(id), 'approved_once');
    await stage.until(id, 'completed');
    return stage.closed(id);
  },
  'run-setup-expired': async (stage) => {
    await prepareAgent(stage, 'setup-unheard', 'impatient', ASKS);
    const id = await stage.start('setup-unheard', SAYS);
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
    await stage.until(id, 'failed');
    return stage.closed(id);
  },
  'run-setup-cancelled': async (stage) => {
    await prepareAgent(stage, 'setup-cancelled', 'standard', ASKS);
    const id = await stage.start('setup-cancelled', SAYS);
    await stage.approval(id);
    await stage.cancel(id);
    await stage.until(id, 'cancelled');
    return stage.closed(id);
  },
};

async function prepareAgent(stage, name, policy, commands) {
  const setup = { commands, timeout_secs: 60, cache: false };
  await stage.call('POST', '/v1/agents', { name, harness: 'replay', policy, setup });
}
