import { parse as parseShell } from 'unbash';
import { compilePolicy } from '../../../src/domain/policy/compile-policy.js';
import { evaluate } from '../../../src/domain/policy/evaluate.js';
import { timedCalls } from '../load/timed-calls.js';
import { POLICY_CALLS, policyOf200Rules } from '../policy-load.js';
import { atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

/** Evaluation alone: 200 rules, shell lines parsed anew for every call. */
export const policy: BenchRow = {
  name: 'policy',
  timeoutMs: 30_000,
  measure(_stack, { quick }) {
    const compiled = compilePolicy(policyOf200Rules());
    const rounds = quick ? 2000 : 40_000;
    const ours = timedCalls(rounds, (index) =>
      evaluate(compiled, POLICY_CALLS[index % POLICY_CALLS.length]!, 'supervised'),
    );
    const shell = POLICY_CALLS.flatMap(({ input: { command } }) => (typeof command === 'string' ? [command] : []));
    const baseline = timedCalls(rounds, (index) => parseShell(shell[index % shell.length]!));
    return Promise.resolve({
      values: { p50: ours.p50 * 1000, p99: ours.p99 * 1000, per_second: 1000 / ours.mean },
      unit: { p50: 'µs', p99: 'µs', per_second: 'evaluations/s' },
      baseline: { p50: baseline.p50 * 1000, p99: baseline.p99 * 1000, per_second: 1000 / baseline.mean },
      targets: [atMost('p99', ours.p99 * 1000, 100, 'µs')],
      notes: ['baseline: the shell parser alone on the same command lines; @cedar-policy/cedar-wasm is in bench:peers'],
    });
  },
};
