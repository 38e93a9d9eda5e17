import { describe, expect, it } from '@jest/globals';
import { parseJsonPreservingNumbers } from '../../../domain/digest/parse-json.js';
import { SERVER_EVENT_TYPES } from '../../../domain/events/event-kinds.js';
import { readPostedEvent } from './posted-event.js';

const post = (actor: string, type: string, data: object) => ({ actor, body: { type, data } }) as never;

describe('event posted by a runner', () => {
  it('CP-293 is dropped when its kind is for the server to write', () => {
    for (const type of [...SERVER_EVENT_TYPES, 'approval.anything', 'network.later']) {
      expect(readPostedEvent(post('agent', type, {}), true)).toEqual({ kind: 'dropped', type });
    }
  });

  it('CP-293 never speaks for the system or a human', () => {
    for (const [claimed, recorded] of [
      ['agent', 'agent'],
      ['harness', 'harness'],
      ['human', 'harness'],
      ['system', 'harness'],
      ['x', 'harness'],
    ]) {
      expect(readPostedEvent(post(claimed!, 'note', {}), true)).toMatchObject({ event: { actor: recorded } });
    }
  });

  it('CP-022 of a known kind keeps its own members only, and wrong data stays as it is', () => {
    expect(
      readPostedEvent(post('agent', 'agent.message', { role: 'assistant', text: 'hi', more: 1 }), true),
    ).toMatchObject({
      event: { data: { role: 'assistant', text: 'hi' } },
    });
    const ended = { index: 0, tool_call_id: 'setup_001', exit_code: null, duration_ms: 5 };
    expect(readPostedEvent(post('harness', 'setup.command', { ...ended, output: 'secret' }), true)).toMatchObject({
      event: { data: ended },
    });
    expect(readPostedEvent(post('agent', 'run.error', { message: 4 }), true)).toMatchObject({
      event: { data: { message: 4 } },
    });
    expect(readPostedEvent(post('agent', 'own.kind', { a: [1] }), true)).toMatchObject({
      event: { type: 'own.kind', data: { a: [1] } },
    });
  });

  it('CP-022 of an agent is dropped where messages are not recorded', () => {
    expect(readPostedEvent(post('agent', 'agent.message', { role: 'assistant', text: 'hi' }), false)).toEqual({
      kind: 'dropped',
      type: 'agent.message',
    });
  });

  it.each([
    ['half a surrogate pair in its kind', 'note\ud800', {}, 'body.type'],
    ['NUL in a kind of the server', 'session.\0', {}, 'body.type'],
    ['half a surrogate pair deep inside', 'note', { a: [{ b: '\udc00' }] }, 'body.data'],
    ['NUL in a key', 'agent.message', { 'a\0': 1 }, 'body.data'],
    ['a number out of range', 'note', { n: parseJsonPreservingNumbers('1e400') }, 'body.data'],
  ])('CP-299 with %s is refused by name', (_what, type, data, member) => {
    expect(() => readPostedEvent(post('agent', type, data), true)).toThrow(`${member}: holds`);
  });

  it.each(['__proto__', 'constructor', 'toString'])('CP-022 of the kind %s is stored as it came', (type) => {
    expect(readPostedEvent(post('agent', type, { a: 1 }), true)).toMatchObject({ event: { type, data: { a: 1 } } });
  });

  it('CP-299 without a body is refused by name, without a type it is unknown', () => {
    expect(() => readPostedEvent({ actor: 'agent' }, true)).toThrow('body');
    expect(() => readPostedEvent(post('agent', 'x', [] as never), true)).toThrow('body.data');
    expect(readPostedEvent({ body: {} }, true)).toMatchObject({ event: { type: 'unknown', data: {} } });
  });
});
