import type { Document, Node, Pair } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, Lexer, parseAllDocuments, stringify } from 'yaml';
import type { ExactJson, ExactObject } from '../digest/exact-json.js';
import { jsonSourceText } from '../digest/exact-json.js';
import { keptSourceText } from '../digest/number-literal.js';
import { SandgateError } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { PolicyDocument } from './document.js';
import { parsePolicyStrict, validatePolicy, type PolicyValidation } from './parse-policy.js';

const MAX_YAML_BYTES = 1_048_576;
const MAX_DEPTH = 32;
/** Nodes after aliases are resolved, so that a small text cannot become a huge document. */
const MAX_NODES = 100_000;
/** Tokens of the text, counted before it is parsed: parsing costs several microseconds a token, on the thread of the gate. */
const MAX_TOKENS = 100_000;
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;

/** Reads a policy as YAML 1.2 and parses it strictly; throws `invalid_request` with what is wrong (docs/design/policy.md). */
export function parsePolicyYaml(text: string): PolicyDocument {
  return parsePolicyStrict(yamlToJson(text));
}

/** Strict reading with every fault that was found: of the YAML, or else of the policy. */
export function validatePolicyYaml(text: string): PolicyValidation {
  try {
    return validatePolicy(yamlToJson(text));
  } catch (error) {
    if (error instanceof SandgateError && error.code === 'invalid_request')
      return { document: null, errors: [error.message] };
    throw error;
  }
}

/** The YAML that stands for content which did not arrive as YAML. */
export function policyToYaml(content: JsonObject): string {
  return stringify(content, { version: '1.2', lineWidth: 0 });
}

/**
 * One YAML 1.2 document as JSON: aliases resolve, merge keys are plain keys, and tags, several documents, keys that are not strings
 * and repeated keys are refused. Numbers keep how they were written.
 */
export function yamlToJson(text: string): ExactJson {
  if (Buffer.byteLength(text) > MAX_YAML_BYTES) throw invalid(`the text is larger than ${MAX_YAML_BYTES} bytes`);
  if (text.includes('\0') || !text.isWellFormed()) throw invalid('the text holds U+0000 or half a character');
  refuseManyTokens(text);
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    strict: true,
    // The library compares each key with all earlier keys of its map, which is quadratic; the converter looks it up.
    uniqueKeys: false,
    stringKeys: false,
    logLevel: 'silent',
  });
  if (!Array.isArray(documents) || documents.length === 0) throw invalid('the text holds no document');
  if (documents.length > 1) throw invalid('the text holds several documents');
  const document = documents[0]!;
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) throw invalid(problem.message);
  return new YamlConverter(document).convert(document.contents, 0);
}

function refuseManyTokens(text: string): void {
  let tokens = 0;
  const lexed = new Lexer().lex(text);
  while (lexed.next().done !== true) {
    tokens++;
    if (tokens > MAX_TOKENS) throw invalid(`the text has more than ${MAX_TOKENS} tokens`);
  }
}

function invalid(message: string): SandgateError {
  return new SandgateError('invalid_request', `invalid YAML: ${message}`);
}

class YamlConverter {
  private nodes = 0;

  constructor(private readonly document: Document.Parsed) {}

  convert(node: Node | null | undefined, depth: number): ExactJson {
    this.nodes++;
    if (this.nodes > MAX_NODES)
      throw invalid(`the document has more than ${MAX_NODES} nodes once aliases are resolved`);
    if (depth > MAX_DEPTH) throw invalid(`the document nests deeper than ${MAX_DEPTH} levels`);
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.convert(this.resolve(node), depth + 1);
    if (isSeq(node)) return node.items.map((item) => this.convert(item as Node, depth + 1));
    if (isMap(node)) return this.convertMap(node.items as Pair<Node, Node | null>[], depth);
    if (isScalar(node)) return convertScalar(node.value, node.source);
    throw invalid('the document holds a node that JSON cannot express');
  }

  private resolve(alias: Node): Node | null {
    if (!isAlias(alias)) return null;
    const target = alias.resolve(this.document);
    if (target === undefined) throw invalid(`the alias *${alias.source} has no anchor`);
    return target;
  }

  private convertMap(pairs: Pair<Node, Node | null>[], depth: number): ExactObject {
    const result: ExactObject = {};
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== 'string') throw invalid('every key must be a string');
      if (Object.hasOwn(result, name)) throw invalid(`the key \`${name}\` stands twice in one map`);
      Object.defineProperty(result, name, {
        value: this.convert(value, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return result;
  }
}

function convertScalar(value: unknown, source: string | undefined): ExactJson {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(`\`${source ?? ''}\` is not a JSON value`);
  if (source === undefined || INTEGER.test(source)) return value;
  const kept = keptSourceText(source, value);
  return kept === null ? value : jsonSourceText.rawJSON(kept);
}
