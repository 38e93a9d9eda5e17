import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import type { NormalNode, NormalScalar } from '../schemas/normal-schema.js';
import type { Rule, RuleNode } from './rule.js';

/** Rules as a schema publishes them for its keys (`evaluation_config`); the name of one, or a list of measures with their parameters. */
const PUBLISHED: Readonly<Record<string, Rule>> = {
  string_exact: { by: 'exact' },
  string_case_insensitive: { by: 'caseless' },
  string_fuzzy: { by: 'similar' },
  string_semantic: { by: 'similar' },
  array_llm: { by: 'similar' },
  number_exact: { by: 'number', within: 0.001 },
  number_tolerance: { by: 'number', within: 0.001 },
  integer_exact: { by: 'integer' },
  boolean_exact: { by: 'boolean' },
};

/**
 * How the values of a schema are compared.
 *
 * @param node of the schema by which documents are extracted
 * @param published the same schema with the rule of each key, where there is one; keys without a rule have that of their type
 */
export function rulesOfSchema(node: NormalNode, published: JsonValue | null): RuleNode {
  return new Published(published).rulesOf(node, schemaOf(published), '', []);
}

/** How receipts are compared: texts by letters and digits, `date` with the day first, `total` as a number. */
export function rulesOfReceipts(node: NormalNode): RuleNode {
  const by = (name: string): Rule =>
    name === 'date' ? { by: 'date', dayFirst: true } : name === 'total' ? { by: 'number', within: 0.005 } : LETTERS;
  if (node.kind !== 'object') throw new TypeError('receipts have an object');
  return {
    kind: 'object',
    properties: new Map(node.properties.map(({ name }) => [name, { kind: 'leaf', rules: [by(name)] }])),
  };
}

const LETTERS: Rule = { by: 'letters' };

class Published {
  private readonly definitions: JsonObject;

  constructor(published: JsonValue | null) {
    const root = schemaOf(published);
    const definitions = isJsonObject(root) ? (root['$defs'] ?? root['definitions']) : null;
    this.definitions = isJsonObject(definitions) ? definitions : {};
  }

  /** @param inherited rules of the list around it, which hold for items that say nothing themselves */
  rulesOf(node: NormalNode, given: JsonValue | undefined, name: string, inherited: readonly Rule[]): RuleNode {
    const published = this.writtenOut(given);
    if (node.kind === 'object') {
      const properties = node.properties.map(
        (one) =>
          [one.name, this.rulesOf(one.node, this.member(published, 'properties', one.name), one.name, [])] as const,
      );
      return { kind: 'object', properties: new Map(properties) };
    }
    const own = this.ownRules(published);
    if (node.kind === 'list') {
      return { kind: 'list', item: this.rulesOf(node.items, this.member(published, 'items'), name, own) };
    }
    const rules = [own, inherited, rulesOfType(node, name)].find((some) => some.length > 0) ?? [];
    return { kind: 'leaf', rules };
  }

  /** Those of all alternatives, where the node itself says none. */
  private ownRules(node: JsonValue | undefined): Rule[] {
    if (!isJsonObject(node)) return [];
    const config = node['evaluation_config'];
    if (config !== undefined) return ruleOfConfig(config);
    return this.alternativesOf(node).flatMap((one) => this.ownRules(one));
  }

  private member(node: JsonValue | undefined, ...[word, name]: [string, string?]): JsonValue | undefined {
    for (const one of [node, ...this.alternativesOf(node)]) {
      const held = isJsonObject(one) ? one[word] : undefined;
      const found = name === undefined ? held : isJsonObject(held) ? held[name] : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private alternativesOf(node: JsonValue | undefined): JsonValue[] {
    const anyOf = isJsonObject(node) ? node['anyOf'] : undefined;
    return Array.isArray(anyOf) ? anyOf.map((one) => this.writtenOut(one) ?? null) : [];
  }

  private writtenOut(node: JsonValue | undefined): JsonValue | undefined {
    const reference = isJsonObject(node) ? node['$ref'] : undefined;
    if (typeof reference !== 'string') return node;
    return this.writtenOut(this.definitions[reference.slice(reference.lastIndexOf('/') + 1)]);
  }
}

/** Some wrap the schema into an object that names it. */
function schemaOf(published: JsonValue | null): JsonValue | undefined {
  if (!isJsonObject(published)) return undefined;
  return published['schema_definition'] ?? published;
}

function ruleOfConfig(config: JsonValue): Rule[] {
  if (typeof config === 'string') return named(config, 0.001);
  const metrics = isJsonObject(config) ? config['metrics'] : undefined;
  if (!Array.isArray(metrics)) throw new TypeError(`no rule: ${JSON.stringify(config)}`);
  return metrics.flatMap((metric) => {
    if (!isJsonObject(metric) || typeof metric['metric_id'] !== 'string') throw new TypeError('a measure has no name');
    const tolerance = isJsonObject(metric['params']) ? metric['params']['tolerance'] : undefined;
    return named(metric['metric_id'], typeof tolerance === 'number' ? tolerance : 0.001);
  });
}

function named(name: string, tolerance: number): Rule[] {
  const rule = PUBLISHED[name];
  if (rule === undefined) throw new TypeError(`there is no rule ${name}`);
  return [rule.by === 'number' ? { ...rule, within: tolerance } : rule];
}

/** Names of people, companies and things, and what is told at length, are spelled in more than one way; numbers and codes are not. */
const WORDED = /^(?:.*_)?(?:issuer|company|name|title|description|text|note|address|summary|subject|remarks?)$/iu;

function rulesOfType({ rules }: NormalScalar, name: string): Rule[] {
  const snake = name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2');
  return rules.map(({ type, format, values }): Rule => {
    if (type === 'number') return { by: 'number', within: 0.005 };
    if (type === 'integer') return { by: 'integer' };
    if (type === 'boolean') return { by: 'boolean' };
    if (format === 'date') return { by: 'date', dayFirst: false };
    return values === null && WORDED.test(snake) ? { by: 'similar' } : LETTERS;
  });
}
