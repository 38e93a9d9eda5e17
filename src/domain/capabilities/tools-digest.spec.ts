import { describe, expect, it } from '@jest/globals';
import type { FrozenTool } from '../run/spec.js';
import { toolsDigest } from './tools-digest.js';

const tool = (more: Partial<FrozenTool> = {}): FrozenTool => ({
  name: 'q',
  description: 'd',
  input_schema: { type: 'object', properties: { a: { type: 'string' } } },
  ...more,
});

describe('the digest of a server’s tools', () => {
  it('is that of a known vector, and annotations leave it alone', () => {
    const expected = 'sha256:ea1be7b9add671db75008caa4917c813a29960a3b914135db046d436c0d4129f';
    expect(toolsDigest([tool()])).toBe(expected);
    expect(toolsDigest([tool({ annotations: { title: 'x' } })])).toBe(expected);
  });

  it('changes with an output schema and with the order of tools', () => {
    const [first, second] = [tool(), tool({ name: 'r' })];
    expect(toolsDigest([tool({ output_schema: {} })])).not.toBe(toolsDigest([tool()]));
    expect(toolsDigest([first, second])).not.toBe(toolsDigest([second, first]));
  });
});
