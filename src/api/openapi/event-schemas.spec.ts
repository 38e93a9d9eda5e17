import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES, mayRunnerPost, SERVER_EVENT_TYPES } from '../../domain/events/event-kinds.js';
import { EVENT_REFERENCE, EVENT_SCHEMA, eventSchemas } from './event-schemas.js';

interface Union {
  oneOf: { $ref: string }[];
  discriminator: { propertyName: string; mapping: Record<string, string> };
}

describe('schemas of the timeline', () => {
  const schemas = eventSchemas();
  const union = schemas[EVENT_SCHEMA] as unknown as Union;

  it('CP-131 documents every kind as a member of one union told apart by `type`', () => {
    expect(union.discriminator.propertyName).toBe('type');
    expect(Object.keys(union.discriminator.mapping).sort()).toEqual([...EVENT_TYPES].sort());
    expect(union.oneOf).toHaveLength(EVENT_TYPES.length + 1);
    expect(EVENT_REFERENCE).toBe(`#/components/schemas/${EVENT_SCHEMA}`);
  });

  it('resolves every reference, and gives each kind its own type, actors and data', () => {
    for (const [type, reference] of Object.entries(union.discriminator.mapping)) {
      const schema = schemas[reference.replace('#/components/schemas/', '')];
      expect(schema).toMatchObject({
        properties: { type: { const: type }, payload: { properties: { type: { const: type } } } },
      });
    }
    expect(schemas['ToolDecisionEvent']).toMatchObject({
      properties: {
        actor: { enum: ['system'] },
        payload: {
          properties: {
            data: {
              required: ['tool_call_id', 'tool', 'verdict', 'source', 'original_verdict', 'reason'],
              properties: { original_verdict: { enum: ['allow', 'deny', 'require_approval', null] } },
            },
          },
        },
      },
    });
    expect(schemas['ToolBrokeredEvent']).toMatchObject({
      properties: {
        payload: { properties: { data: { required: ['tool_call_id', 'tool', 'server', 'ok', 'latency_ms'] } } },
      },
    });
  });

  it('leaves kinds that runners make up to a schema that matches none of ours', () => {
    expect(schemas['OtherEvent']).toMatchObject({ properties: { type: { not: { enum: EVENT_TYPES } } } });
    const setup = ['setup.started', 'setup.command', 'setup.finished'];
    expect(EVENT_TYPES.filter(mayRunnerPost)).toEqual(['agent.message', 'tool.completed', 'run.error', ...setup]);
    expect(SERVER_EVENT_TYPES).toHaveLength(EVENT_TYPES.length - 6);
  });
});
