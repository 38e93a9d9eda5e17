import { compilePolicy } from '../../../src/domain/policy/compile-policy.js';
import { evaluate } from '../../../src/domain/policy/evaluate.js';
import type { ApprovalTerms } from '../../../src/domain/policy/verdict.js';

/** Every command asks, and files are free: only the keys of commands decide. */
const ASKS_FOR_ALL = compilePolicy({
  name: 'asks-for-all',
  tools: [
    { match: ['Read', 'Write'], action: 'allow' },
    { match: ['Bash'], action: 'allow', shell: { allow_prefixes: [], on_no_match: 'approve' } },
  ],
});

export function termsOf(command: string): ApprovalTerms {
  const terms = evaluate(ASKS_FOR_ALL, { tool: 'Bash', input: { command } }, 'supervised').approval;
  if (terms === null) throw new Error(`nobody is asked about ${command}`);
  return terms;
}

/** Whether the later command runs unasked when a person answered "for this run" to the first: as the gate's database decides. */
export function rides(granted: string, later: string): boolean {
  const held = termsOf(granted).scope_keys ?? [];
  return termsOf(later).scope_keys?.every((key) => held.includes(key)) === true;
}
