import { createRequire } from 'node:module';
import { compilePolicy } from '../../../src/domain/policy/compile-policy.js';
import { evaluate } from '../../../src/domain/policy/evaluate.js';
import { timedCalls } from '../load/timed-calls.js';
import { POLICY_CALLS, policyOf200Rules } from '../policy-load.js';
import { atLeast, type RowFindings } from '../row.js';
import { versionOf } from './installed-peers.js';

interface Cedar {
  preparsePolicySet(id: string, policies: { staticPolicies: string }): { type: string };
  statefulIsAuthorized(call: object): { type: string };
}

/** Policy evaluation: 200 rules here, 200 policies there, parsed once; Cedar is given the command as text and does not parse shell. */
export function comparePolicies(folder: string, rounds: number): RowFindings {
  const cedar = createRequire(import.meta.url)(`${folder}/nodejs/cedar_wasm.js`) as Cedar;
  const parsed = cedar.preparsePolicySet('bench', { staticPolicies: cedarPolicies() });
  if (parsed.type !== 'success') throw new Error(`Cedar refused the policies: ${JSON.stringify(parsed)}`);
  const requests = POLICY_CALLS.map(({ tool, input }) => ({
    principal: { type: 'Agent', id: 'fixer' },
    action: { type: 'Action', id: tool },
    resource: { type: 'Workspace', id: 'main' },
    context: { command: text(input['command']), path: text(input['file_path']) },
    preparsedPolicySetId: 'bench',
    validateRequest: false,
    entities: [],
  }));
  const theirs = timedCalls(rounds, (index) => {
    const answer = cedar.statefulIsAuthorized(requests[index % requests.length]!);
    if (answer.type !== 'success') throw new Error(`Cedar failed: ${JSON.stringify(answer)}`);
  });
  const compiled = compilePolicy(policyOf200Rules());
  const ours = timedCalls(rounds, (index) =>
    evaluate(compiled, POLICY_CALLS[index % POLICY_CALLS.length]!, 'supervised'),
  );
  const times = theirs.mean / ours.mean;
  return {
    values: { p50: ours.p50 * 1000, p99: ours.p99 * 1000, times_faster: times },
    unit: { p50: 'µs', p99: 'µs', times_faster: '× at the mean' },
    baseline: { p50: theirs.p50 * 1000, p99: theirs.p99 * 1000 },
    targets: [atLeast('times as fast', times, 5, '×')],
    notes: [`${versionOf('@cedar-policy/cedar-wasm')}, policies parsed beforehand; only ours parses the shell lines`],
  };
}

function cedarPolicies(): string {
  const policies = Array.from({ length: 180 }, (_, index) =>
    index % 3 === 0
      ? `forbid(principal, action == Action::"tool_${index}", resource);`
      : `permit(principal, action == Action::"tool_${index}", resource) when { context.path like "/workspace/*" && !(context.path like "*/.env") };`,
  );
  for (let index = 0; index < 18; index += 1) {
    policies.push(
      `permit(principal, action == Action::"shell_${index}", resource) when { context.command like "ls*" || context.command like "cat*" };`,
    );
  }
  policies.push(
    'permit(principal, action in [Action::"Read", Action::"Edit"], resource) when { context.path like "/workspace/*" && !(context.path like "*/.env*") };',
    'permit(principal, action == Action::"Bash", resource) when { context.command like "npm test*" || context.command like "git status*" || context.command like "cargo build*" };',
  );
  return policies.join('\n');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
