import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../src/domain/json.js';
import { normalizeSchema } from '../schemas/normal-schema.js';
import { rulesOfReceipts, rulesOfSchema } from './rules-of-schema.js';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    issuer: { type: 'string', description: 'Who.' },
    companyName: { type: 'string', description: 'Who.' },
    code: { type: 'string', description: 'What.' },
    due: { type: 'string', format: 'date', description: 'When.' },
    price: { type: ['number', 'null'], description: 'How much.' },
    tags: { type: 'array', items: { type: 'string' }, description: 'Tags.' },
    metric: { anyOf: [{ type: 'number' }, { type: 'string' }], description: 'Value.' },
  },
};
const leaf = (...rules: object[]): object => ({ kind: 'leaf', rules });

describe('how values are compared', () => {
  it('follows from the type, and for texts from what they are', () => {
    const rules = rulesOfSchema(normalizeSchema(SCHEMA), null);
    expect(Object.fromEntries(rules.kind === 'object' ? rules.properties : [])).toEqual({
      issuer: leaf({ by: 'similar' }),
      companyName: leaf({ by: 'similar' }),
      code: leaf({ by: 'letters' }),
      due: leaf({ by: 'date', dayFirst: false }),
      price: leaf({ by: 'number', within: 0.005 }),
      tags: { kind: 'list', item: leaf({ by: 'letters' }) },
      metric: leaf({ by: 'number', within: 0.005 }, { by: 'letters' }),
    });
  });

  it('is what the schema publishes, through references and alternatives; items have the rule of their list', () => {
    const published: JsonObject = {
      name: 'wrapped',
      schema_definition: {
        $defs: {
          value: {
            anyOf: [{ type: 'null' }, { type: 'number' }],
            evaluation_config: { metrics: [{ metric_id: 'number_tolerance', params: { tolerance: 0.1 } }] },
          },
        },
        properties: {
          issuer: { type: 'string', evaluation_config: 'string_exact' },
          tags: {
            anyOf: [{ type: 'null' }, { type: 'array', evaluation_config: 'array_llm', items: { type: 'string' } }],
          },
          metric: { $ref: '#/$defs/value' },
        },
      },
    };
    const rules = rulesOfSchema(normalizeSchema(SCHEMA), published);
    expect(Object.fromEntries(rules.kind === 'object' ? rules.properties : [])).toMatchObject({
      issuer: leaf({ by: 'exact' }),
      code: leaf({ by: 'letters' }),
      tags: { kind: 'list', item: leaf({ by: 'similar' }) },
      metric: leaf({ by: 'number', within: 0.1 }),
    });
  });

  it('refuses a rule that it does not know', () => {
    const published: JsonObject = { properties: { code: { evaluation_config: 'by_taste' } } };
    expect(() => rulesOfSchema(normalizeSchema(SCHEMA), published)).toThrow('there is no rule by_taste');
  });

  it('takes dates of receipts with the day first, and totals as numbers', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: Object.fromEntries(
        ['company', 'date', 'total'].map((name) => [name, { type: 'string', description: name }]),
      ),
    };
    const rules = rulesOfReceipts(normalizeSchema(schema));
    expect(Object.fromEntries(rules.kind === 'object' ? rules.properties : [])).toEqual({
      company: leaf({ by: 'letters' }),
      date: leaf({ by: 'date', dayFirst: true }),
      total: leaf({ by: 'number', within: 0.005 }),
    });
  });
});
