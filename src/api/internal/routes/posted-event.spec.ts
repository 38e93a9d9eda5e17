import { describe, expect, it } from '@jest/globals';
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

  it('CP-299 without a body is refused by name, without a type it is unknown', () => {
    expect(() => readPostedEvent({ actor: 'agent' }, true)).toThrow('body');
    expect(() => readPostedEvent(post('agent', 'x', [] as never), true)).toThrow('body.data');
    expect(readPostedEvent({ body: {} }, true)).toMatchObject({ event: { type: 'unknown', data: {} } });
  });
});
