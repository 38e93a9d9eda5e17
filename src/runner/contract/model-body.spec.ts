import { describe, expect, it } from '@jest/globals';
import { mendModelBody } from './model-body.js';

describe('body of a model request', () => {
  it.each([
    ['half a pair', 'a\ud800b', 'a\ufffdb'],
    ['the other half', '\udfff', '\ufffd'],
    ['halves in a row', '\ud800\ud800\udfff', '\ufffd\ud800\udfff'],
    ['a half behind a backslash', '\\\ud800', '\\\ufffd'],
    ['a whole character', '😀', '😀'],
    ['an escape that is plain text', '\\ud800 \\\\ud800', '\\ud800 \\\\ud800'],
    ['NUL, which providers take', 'a\u0000', 'a\u0000'],
  ])('of %s is one that every provider can read', (_what, text, read) => {
    const body = { messages: [{ role: 'user', content: text, [text]: 1 }] };
    const mended = mendModelBody(JSON.stringify(body));
    expect(JSON.parse(mended)).toEqual({ messages: [{ role: 'user', content: read, [read]: 1 }] });
  });
});
