import { describe, expect, it } from '@jest/globals';
import { FrameReader, readFrames } from './frames.js';

function frame(kind: number, text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.from([kind, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
}

const LOG = Buffer.concat([
  frame(2, 'passed\n'),
  frame(1, 'one\n'),
  frame(1, ''),
  frame(1, 'zwei ä\n'),
  frame(0, 'input'),
]);

describe('the log of an engine', () => {
  it('is what was printed, and apart from it the verdict', () => {
    expect(readFrames(LOG)).toEqual({ output: Buffer.from('one\nzwei ä\n'), verdict: 'passed\n' });
    expect(readFrames(Buffer.alloc(0))).toEqual({ output: Buffer.alloc(0), verdict: '' });
  });

  it('is the same wherever it was cut on its way', () => {
    for (let size = 1; size < LOG.length; size++) {
      const parts: Record<string, string> = { stdout: '', stderr: '' };
      const reader = new FrameReader((stream, payload) => (parts[stream] += payload.toString('latin1')));
      for (let at = 0; at < LOG.length; at += size) reader.push(LOG.subarray(at, at + size));
      expect(parts).toEqual({ stdout: Buffer.from('one\nzwei ä\n').toString('latin1'), stderr: 'passed\n' });
    }
  });

  it('loses a frame that never came to its end, and nothing before it', () => {
    expect(readFrames(LOG.subarray(0, LOG.length - 3)).output.toString('utf8')).toBe('one\nzwei ä\n');
    expect(readFrames(LOG.subarray(0, 20))).toMatchObject({ verdict: 'passed\n' });
  });
});
