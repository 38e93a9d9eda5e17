// A whole runner of the contract in docs/runner-contract.md, with Node alone. Its agent is a list of shell commands:
// the task is JSON, [{"tool":"Bash","input":{"command":"…"}}, …]. Replace `agent` by yours and keep the rest.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const SECOND = 1000;
const EXIT = { done: 0, failed: 1, missingVariable: 2, wrongAudience: 3, handOffFailed: 4 };

// Section 13: variables and tokens come on descriptor 3, which no process started later may inherit.
function readHandOff() {
  try {
    const { variables, tokens } = JSON.parse(readFileSync(3, 'utf8'));
    closeSync(3);
    return { variables, tokens };
  } catch {
    process.exit(EXIT.handOffFailed);
  }
}

const { variables, tokens } = readHandOff();
for (const name of ['SERVICE_CONTROL_URL', 'SERVICE_SESSION_ID', 'SERVICE_TASK']) {
  if (!variables[name]) process.exit(EXIT.missingVariable);
}
const session = `/internal/sessions/${variables.SERVICE_SESSION_ID}`;
const workspace = variables.SERVICE_WORKSPACE || '/workspace';
const stopping = new AbortController();

// One attempt. Over the plane's socket where there is one, else over TCP.
function post(path, token, body, timeoutMs, headers = {}) {
  const socket = variables.SERVICE_PLANE_SOCKET;
  const url = new URL(variables.SERVICE_CONTROL_URL + path);
  const target = socket ? { socketPath: socket, path } : { host: url.hostname, port: url.port, path };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]);
    const options = { ...target, method: 'POST', signal, agent: new http.Agent() };
    options.headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      host: url.host,
      ...headers,
    };
    const request = http.request(options, async (response) => {
      try {
        const text = (await response.toArray()).join('');
        if ([401, 403].includes(response.statusCode) && text.includes('wrong_audience')) stop(EXIT.wrongAudience);
        resolve({ status: response.statusCode, body: JSON.parse(text) });
      } catch (error) {
        reject(error);
      }
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

const retryable = (status) => [408, 425, 429].includes(status) || status >= 500;

// Section 14: transport failures and retryable statuses are tried again, two seconds times the number of attempts apart.
async function postWithRetries(retries, path, body, headers) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await post(path, tokens.control, body, 30 * SECOND, headers).catch(() => null);
    if (answer !== null && !retryable(answer.status)) return answer;
    if (attempt > retries) return null;
    await sleep(Math.min(2 * attempt, 8) * SECOND, undefined, { signal: stopping.signal });
  }
}

// Section 4: no verdict, no effect. The same id until there is one; 401 and 403 are a denial.
async function ask(call) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await post(`${session}/permission`, tokens.tool, call, 720 * SECOND).catch(() => null);
    if (answer?.status === 200 && answer.body.decision) return answer.body;
    if (answer?.status === 401 || answer?.status === 403) return { decision: 'deny', message: 'credential refused' };
    await sleep(Math.min(2 * attempt, 10) * SECOND, undefined, { signal: stopping.signal });
  }
}

// Section 5: tools of connected services are called by the control plane, which asks its gate itself. One id for one call of the
// agent, however often it is presented: so it cannot reach the service twice. A 4xx is an answer.
const { servers } = JSON.parse(variables.SERVICE_CAPABILITIES || '{"servers":[]}');
const services = servers.filter((server) => server.class === 'brokered');
const isBrokered = (tool) => services.some(({ name }) => tool.startsWith(`mcp__${name}__`));
async function callService(tool, input) {
  const call = { tool_call_id: `bkr_${randomUUID()}`, tool, input };
  for (const wait of [0.5, 1.5, null]) {
    const answer = await post(`${session}/tools/call`, tokens.tool, call, 750 * SECOND).catch(() => null);
    const settled = answer?.status < 500 && answer.body.error !== 'execution in flight; retry later';
    if (settled) return answer.body;
    if (wait !== null) await sleep(wait * SECOND, undefined, { signal: stopping.signal });
  }
  return { error: 'no answer arrived; the call may have executed and was not repeated' };
}

// Section 6: one after the other, each with a key of its own; one that cannot be told is let go.
async function tell(type, data, actor = 'harness') {
  await postWithRetries(3, `${session}/events`, { actor, body: { type, data } }, { 'idempotency-key': randomUUID() });
}

// Section 7: every ten seconds, whatever else is going on.
async function beat() {
  for (;;) {
    const answer = await postWithRetries(1, `${session}/heartbeat`, {});
    if (answer?.body.action === 'quiesce') stop(EXIT.done);
    await sleep(10 * SECOND);
  }
}

// Section 9: at the start, then every 45 minutes; after two minutes when it failed; never again once it was refused.
async function renew() {
  for (;;) {
    const answer = await postWithRetries(1, '/internal/token/renew', {});
    if (answer !== null && (answer.status !== 200 || answer.body.renewed === false)) return;
    await sleep((answer === null ? 2 : 45) * 60 * SECOND);
  }
}

// What the run is stopped for is in its exit code; whatever runs is killed with it, and no result is posted.
let running = null;
function stop(code) {
  stopping.abort();
  if (running !== null) process.kill(-running.pid, 'SIGKILL');
  process.exit(code);
}

// Tool processes get an environment of their own and no descriptor of ours.
function run({ command }) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8' };
  running = spawn('/bin/bash', ['-c', command], { cwd: workspace, env, detached: true, stdio: 'ignore' });
  return new Promise((resolve) => running.once('close', (code) => ((running = null), resolve(code))));
}

async function agent() {
  await tell('agent.message', { role: 'system', text: 'The minimal runner starts.' });
  const steps = JSON.parse(variables.SERVICE_TASK);
  for (const [index, { tool, input }] of steps.entries()) {
    if (isBrokered(tool)) {
      const { ok, message, error } = await callService(tool, input);
      const told = ok ? 'answered' : (message ?? error);
      await tell('agent.message', { role: 'assistant', text: `${tool}: ${told}` }, 'agent');
      continue;
    }
    const call = { tool_call_id: `step_${index + 1}`, tool, input };
    const verdict = await ask(call);
    if (verdict.decision !== 'allow') {
      await tell('agent.message', { role: 'assistant', text: `${tool} denied: ${verdict.message}` }, 'agent');
      continue;
    }
    const code = await run(verdict.updated_input ?? input);
    await tell('tool.completed', { tool_call_id: call.tool_call_id, tool, ok: code === 0 });
  }
  return `${steps.length} steps`;
}

// Section 8: one result, when everything else is told. Section 13: the exit code says the same to supervision.
async function report(outcome, summary) {
  const answer = await postWithRetries(5, `${session}/result`, { outcome, summary: summary.slice(0, 4000) });
  process.exit(answer?.status === 200 && outcome === 'completed' ? EXIT.done : EXIT.failed);
}

const lost = () => undefined;
beat().catch(lost);
renew().catch(lost);
try {
  await report('completed', await agent());
} catch (error) {
  await report('failed', String(error?.message ?? error));
}
