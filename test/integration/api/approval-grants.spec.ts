import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../support/api/api.js';
import { newRun } from '../../support/gate/asked-approval.js';
import { createGatedRun, post } from '../../support/gate/gated-run.js';
import { startPlane, type PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

const STILL_ASK = 'What forces, deletes or reaches further, such as `--force`, still asks.';
const SHELL_ASKS = [
  { match: ['Write'], action: 'allow' },
  { match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['ls'], on_no_match: 'approve' } },
];

const SEALED = { SERVICE_KMS_MODE: 'static', SERVICE_KMS_STATIC_KEK: 'ab'.repeat(32) };

let api: TestApi;
let plane: PlaneApp;
beforeAll(async () => {
  api = await startApi(SEALED);
  plane = await startPlane(api.database, SEALED);
});
afterAll(async () => {
  await plane.close();
  await api.close();
});

/** A run of a gate on the API's database; everything but `ls` asks. */
async function gatedRun(): Promise<FixtureRun> {
  const { organizationId, agentId, revisionId, policyId } = await newRun(api);
  return createGatedRun(api.db, { in: { organizationId, agentId, revisionId, policyId }, tools: SHELL_ASKS });
}

interface Held {
  id: string;
  /** What the runner is told in the end. */
  answer: Promise<unknown>;
}

let calls = 0;

/** A call that the gate holds for a person. */
async function held(run: FixtureRun, input: object, tool = 'Bash'): Promise<Held> {
  calls += 1;
  const toolCallId = `call-${calls}`;
  const answer = post(`${plane.url}/internal/permission`, run.tokens.tool, {
    tool_call_id: toolCallId,
    tool,
    input,
  }).then(({ body }) => body);
  const find = async (): Promise<string | undefined> => {
    const { approvals } = (await api.get(`/v1/sessions/${run.runId}/approvals`)).body;
    return approvals.find((approval) => approval.tool_call_id === toolCallId)?.id;
  };
  const id = await until(find, (found) => found !== undefined);
  if (id === undefined) throw new Error(`nobody was asked about ${JSON.stringify(input)}`);
  return { id, answer };
}

async function decided(run: FixtureRun, command: string, decision = 'denied'): Promise<void> {
  const { id, answer } = await held(run, { command });
  await api.post(`/v1/approvals/${id}/decision`, { decision });
  await answer;
}

const grantOf = async (id: string): Promise<unknown> => {
  const { body } = await api.get(`/v1/approvals/${id}`);
  return (body as unknown as { grant: unknown }).grant;
};

describe('what an answer for the run would cover', () => {
  it('CP-148 is a sentence with two other calls of this run that the grant covers, the last ones first', async () => {
    const run = await gatedRun();
    const other = await gatedRun();
    await decided(other, 'npm install of-another-run');
    for (const command of ['npm install one', 'npm publish', 'npm install two', 'npm install --global x']) {
      await decided(run, command);
    }
    await decided(run, 'npm install ghp_0123456789012345678901234567');
    const { id, answer } = await held(run, { command: 'npm install left-pad' });
    expect(await grantOf(id)).toEqual({
      covers: `Every \`npm install …\` (npm with the subcommand install). ${STILL_ASK}`,
      once_because: null,
      keys: ['npm install'],
      examples: [
        { call: expect.stringMatching(/^npm install ‹redacted:32:[0-9a-f]{8}›$/), from_run: true },
        { call: 'npm install two', from_run: true },
      ],
    });
    const [listed] = (await api.get(`/v1/sessions/${run.runId}/approvals`)).body.approvals;
    expect(listed?.grant).toEqual(await grantOf(id));
    await api.post(`/v1/approvals/${id}/decision`, { decision: 'denied' });
    await answer;
  });

  it('CP-148 is explained by made-up calls, which say so, where the run has none', async () => {
    const run = await gatedRun();
    await decided(run, 'git push origin main');
    const { id, answer } = await held(run, { command: 'ls && git push' });
    expect(await grantOf(id)).toMatchObject({
      keys: ['git push'],
      examples: [
        { call: 'git push origin main', from_run: true },
        { call: 'git push', from_run: false },
      ],
    });
    await api.post(`/v1/approvals/${id}/decision`, { decision: 'approved_session' });
    expect(await answer).toEqual({ decision: 'allow' });
    expect(await grantOf(id)).toEqual({
      covers: `Every \`git push …\` (git with the subcommand push). ${STILL_ASK}`,
      once_because: null,
      keys: ['git push'],
      examples: [],
    });
  });

  it('CP-148 holds: the subcommand rides, its neighbours ask', async () => {
    const run = await gatedRun();
    await decided(run, 'npm install left-pad', 'approved_session');
    const rides = await post(`${plane.url}/internal/permission`, run.tokens.tool, {
      tool_call_id: 'rides',
      tool: 'Bash',
      input: { command: 'ls && npm install other' },
    });
    expect(rides.body).toEqual({ decision: 'allow' });
    for (const command of ['npm publish', 'npm install --global x', 'npm install && rm -rf src']) {
      const { id, answer } = await held(run, { command });
      await api.post(`/v1/approvals/${id}/decision`, { decision: 'denied' });
      expect(await answer).toMatchObject({ decision: 'deny' });
    }
  });

  it('says why nothing can be granted; the answer counts once', async () => {
    const run = await gatedRun();
    const { id, answer } = await held(run, { command: 'rm -rf "$BUILD"' });
    expect(await grantOf(id)).toEqual({
      covers: null,
      once_because: '`rm` deletes, overwrites, re-owns or kills',
      keys: [],
      examples: [],
    });
    const { explanation } = (await api.get(`/v1/approvals/${id}`)).body as unknown as {
      explanation: { not_known_beforehand: string[] };
    };
    expect(explanation.not_known_beforehand).toEqual(['"$BUILD"']);
    const settled = await api.post(`/v1/approvals/${id}/decision`, { decision: 'approved_session' });
    expect(settled.body).toMatchObject({ status: 'approved_once', narrowed: true });
    expect(await answer).toEqual({ decision: 'allow' });
  });

  it('CP-148 of a tool without shell rules is the tool', async () => {
    const run = await gatedRun();
    const { id, answer } = await held(run, { url: 'https://example.com' }, 'WebFetch');
    expect(await grantOf(id)).toMatchObject({ covers: 'Every call of `WebFetch`, whatever its input.', examples: [] });
    await api.post(`/v1/approvals/${id}/decision`, { decision: 'denied' });
    await answer;
  });
});
