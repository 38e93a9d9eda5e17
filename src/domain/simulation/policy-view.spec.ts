import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ExactJson } from '../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import { compileDocument } from '../policy/compile-policy.js';
import { evaluate } from '../policy/evaluate.js';
import { parsePolicyYaml } from '../policy/policy-yaml.js';
import type { ToolCall } from '../policy/verdict.js';
import { MAX_POLICY_VIEW_BYTES, readPolicyView, writePolicyView } from './policy-view.js';

const POLICIES = ['default', 'governed'].map((name) =>
  compileDocument(parsePolicyYaml(readFileSync(new URL(`../../../policies/${name}.yaml`, import.meta.url), 'utf8'))),
);

const path = fc.constantFrom(
  '/workspace/a.ts',
  'src/.env',
  '~/x',
  '../etc/passwd',
  '/workspace/$X',
  'a/\ud800',
  '',
  '.git/config',
);
const command = fc.constantFrom(
  'ls -la',
  'cat x > .env',
  'cd src && rm -rf /',
  'git push --force',
  '\u0000',
  'cat < ~/.ssh/id',
);
const odd = fc.jsonValue() as fc.Arbitrary<ExactJson>;
const input = fc.oneof(
  odd,
  fc.record(
    {
      command: fc.oneof(command, odd),
      cwd: fc.oneof(path, odd),
      file_path: fc.oneof(path, odd),
      path: fc.oneof(path, odd),
      notebook_path: path,
      filePath: path,
      edits: fc.oneof(fc.array(fc.oneof(fc.record({ file_path: fc.oneof(path, odd), op: odd }), odd)), odd),
      content: fc.string(),
      n: fc.double(),
    },
    { requiredKeys: [] },
  ),
);
const tool = fc.constantFrom(
  'Bash',
  'Read',
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
  'mcp__a__b',
  '__proto__',
  '',
);

function kept(call: ToolCall): ToolCall {
  const text = writePolicyView(call);
  const view = text === null ? null : readPolicyView(text);
  if (view === null) throw new Error('the call has no view');
  return view;
}

describe('what is kept of a call for later drafts', () => {
  it('is judged exactly as the call itself, by any policy and in any mode', () => {
    fc.assert(
      fc.property(tool, input, fc.constantFrom('supervised', 'autonomous'), (tool, input, mode) => {
        for (const policy of POLICIES) {
          const call = { tool, input: parseJsonPreservingNumbers(JSON.stringify(input)) };
          expect(evaluate(policy, kept(call), mode)).toEqual(evaluate(policy, call, mode));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('holds nothing that policy does not read', () => {
    const view = writePolicyView({
      tool: 'Write',
      input: {
        file_path: '/workspace/a',
        content: 'a secret',
        command: 5,
        edits: [{ file_path: 'b', new_string: 'x' }, 7],
      },
    });
    expect(view).toBe('{"tool":"Write","input":{"file_path":"/workspace/a","edits":[{"file_path":"b"}]}}');
  });

  it('is whole or not kept at all', () => {
    const view = (command: string) => writePolicyView({ tool: 'Bash', input: { command } });
    const frame = view('')!.length;
    expect(view('x'.repeat(MAX_POLICY_VIEW_BYTES - frame))).toHaveLength(MAX_POLICY_VIEW_BYTES);
    expect(view('x'.repeat(MAX_POLICY_VIEW_BYTES - frame + 1))).toBeNull();
    expect(view('ü'.repeat(MAX_POLICY_VIEW_BYTES / 2))).toBeNull();
    expect(view('x'.repeat(1_000_000))).toBeNull();
    const edits = Array.from({ length: 5000 }, (_, i) => ({ file_path: `/workspace/file-${i}` }));
    expect(writePolicyView({ tool: 'MultiEdit', input: { edits } })).toBeNull();
  });

  it('text that is no view is no call', () => {
    for (const text of ['', 'null', '[]', '{}', '{"tool":1,"input":{}}', '{"tool":"Bash","input":null}', '{"tool":"x"'])
      expect(readPolicyView(text)).toBeNull();
  });
});
