import { v7 as uuidv7 } from 'uuid';
import { HttpConnection, postRequest, type Answer } from '../load/http-connection.js';
import { prepareRuns, retireRuns } from '../prepared-runs.js';
import type { BenchStack } from '../bench-stack.js';
import { atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

const CALLERS = 64;
const AFFORDED = 10;
/** What the provider reports for every request: 100 tokens in, 50 out. */
const TOKENS_PER_REQUEST = 150;

/** A budget for ten calls and 64 callers who all want one at once, on a fresh run for each trial. */
export const budgets: BenchRow = {
  name: 'budget-overspend',
  timeoutMs: 900_000,
  async measure(stack, { full, quick }) {
    const trials = full ? 1000 : quick ? 5 : 100;
    const connections = await Promise.all(Array.from({ length: CALLERS }, () => HttpConnection.open(stack.port)));
    const calls = await toolCalls(stack, connections, trials);
    const requests = await modelRequests(stack, connections, Math.ceil(trials / 10));
    for (const connection of connections) connection.close();
    return {
      values: {
        trials,
        calls_allowed: calls.allowed,
        calls_overspent: calls.overspent,
        model_trials: requests.trials,
        model_requests_answered: requests.answered,
        model_tokens_overspent: requests.overspent,
      },
      unit: {
        trials: 'runs',
        calls_allowed: 'calls',
        calls_overspent: 'calls',
        model_trials: 'runs',
        model_requests_answered: 'requests',
        model_tokens_overspent: 'tokens',
      },
      baseline: { calls_afforded: AFFORDED * trials },
      targets: [
        atMost('calls above the budget', calls.overspent, 0, 'calls'),
        atMost('calls of the budget that were not given', AFFORDED * trials - calls.allowed, 0, 'calls'),
        atMost('tokens above the budget', requests.overspent, 0, 'tokens'),
      ],
      notes: [
        '1,000 trials with --full',
        'model requests: a token budget, 64 callers of one run, every refusal counted as such',
      ],
    };
  },
};

async function toolCalls(stack: BenchStack, connections: HttpConnection[], trials: number) {
  let [allowed, overspent] = [0, 0];
  for (let trial = 0; trial < trials; trial += 1) {
    const [run] = await prepareRuns(stack, 1, {
      tools: [{ match: ['Read'], action: 'allow' }],
      budgets: { max_tool_calls: AFFORDED },
    });
    const answers = await Promise.all(
      connections.map((connection) => {
        const body = JSON.stringify({ tool_call_id: uuidv7(), tool: 'Read', input: { file_path: '/workspace/a' } });
        return connection.exchange(postRequest('/internal/permission', run!.tokens.tool, body));
      }),
    );
    const granted = answers.filter((answer) => answer.body.includes('"decision":"allow"')).length;
    allowed += granted;
    overspent += Math.max(0, granted - AFFORDED);
    await retireRuns(stack, [run!]);
  }
  return { allowed, overspent };
}

async function modelRequests(stack: BenchStack, connections: HttpConnection[], trials: number) {
  let [answered, overspent] = [0, 0];
  const cap = AFFORDED * TOKENS_PER_REQUEST + 1500;
  for (let trial = 0; trial < trials; trial += 1) {
    const [run] = await prepareRuns(stack, 1, { budgets: { max_tokens: cap } });
    const body = JSON.stringify({
      model: 'claude-haiku-4-5',
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'answer' }],
    });
    const request = postRequest('/internal/llm/v1/messages', run!.tokens.llm, body);
    const answers = await Promise.all(connections.map((connection) => untilFinal(connection, request)));
    answered += answers.filter((answer) => answer.status === 200).length;
    const { rows } = await stack.owner.query<{ spent: string }>(
      'select coalesce(sum(input_tokens + output_tokens), 0) as spent from usage_entries where session_id = $1',
      [run!.runId],
    );
    overspent += Math.max(0, Number(rows[0]?.spent) - cap);
    await retireRuns(stack, [run!]);
  }
  return { trials, answered, overspent };
}

/** Asks again while other requests of the run hold what is left, as a client does. */
async function untilFinal(connection: HttpConnection, request: string): Promise<Answer> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await connection.exchange(request);
    if (answer.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('a model request was never answered finally');
}
