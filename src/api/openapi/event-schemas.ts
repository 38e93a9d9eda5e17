import { EVENT_CATALOG } from '../../domain/events/event-catalog.js';
import { schemaOf } from '../../domain/events/event-fields.js';
import { EVENT_TYPES, mayRunnerPost, type EventType } from '../../domain/events/event-kinds.js';
import type { JsonObject } from '../../domain/json.js';

/** Name of the union in the OpenAPI document, and where to find it. */
export const EVENT_SCHEMA = 'EventView';
export const EVENT_REFERENCE = `#/components/schemas/${EVENT_SCHEMA}`;
const OTHER = 'OtherEvent';

/**
 * Schemas of the timeline: one for each kind, one for kinds that runners make up, and `EventView`, their union told apart by `type`
 * (docs/design/events.md). Made from the catalog that appends are typed by, so that the two cannot differ.
 */
export function eventSchemas(): Record<string, JsonObject> {
  const names = Object.fromEntries(EVENT_TYPES.map((type) => [type, schemaName(type)]));
  const reference = (name: string): string => `#/components/schemas/${name}`;
  return {
    ...Object.fromEntries(EVENT_TYPES.map((type) => [schemaName(type), kindSchema(type)])),
    [OTHER]: otherSchema(),
    [EVENT_SCHEMA]: {
      description: 'One line of the timeline. `type` tells which; a kind that is not listed was posted by a runner.',
      oneOf: [...Object.values(names), OTHER].map((name) => ({ $ref: reference(name) })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(Object.entries(names).map(([type, name]) => [type, reference(name)])),
      },
    },
  };
}

/** `tool.decision` becomes `ToolDecisionEvent`. */
function schemaName(type: EventType): string {
  const words = type.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

function kindSchema(type: EventType): JsonObject {
  const { actors, summary, data } = EVENT_CATALOG[type];
  const typed = schemaOf(data);
  // An event that a runner posts is kept even if a member has another type.
  const given: JsonObject = mayRunnerPost(type) ? { anyOf: [typed, { type: 'object' }] } : typed;
  return lineSchema(summary, { const: type }, { type: 'string', enum: [...actors] }, given);
}

function otherSchema(): JsonObject {
  return lineSchema(
    'An event of a kind that its runner made up.',
    { type: 'string', not: { enum: EVENT_TYPES } },
    { type: 'string', enum: ['agent', 'system', 'human', 'harness'] },
    { type: 'object' },
  );
}

function lineSchema(description: string, type: JsonObject, actor: JsonObject, data: JsonObject): JsonObject {
  const payload = { type: 'object', properties: { type, data }, required: ['type', 'data'] };
  return {
    type: 'object',
    description,
    properties: {
      event_id: { type: 'string', format: 'uuid' },
      session_id: { type: 'string', format: 'uuid' },
      seq: { type: 'integer', format: 'int64', minimum: 1, description: 'Rises by exactly one in a run.' },
      actor,
      type,
      payload,
      occurred_at: { type: 'string', format: 'date-time' },
    },
    required: ['event_id', 'session_id', 'seq', 'actor', 'type', 'payload', 'occurred_at'],
  };
}
