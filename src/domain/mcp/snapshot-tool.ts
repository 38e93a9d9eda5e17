import { MAX_TOOLS, parseTool, refuseTwice } from '../capabilities/parse-tool.js';
import { canonicalJson } from '../digest/canonical-json.js';
import { digestOf } from '../digest/digest.js';
import { isExactObject, type ExactJson, type ExactObject } from '../digest/exact-json.js';
import { SandgateError } from '../errors.js';
import type { JsonValue } from '../json.js';
import type { FrozenTool } from '../run/spec.js';

const MAX_SERIALIZED_BYTES = 2 * 1024 * 1024;

/** A tool as a snapshot stores it (docs/design/connections.md). Annotations are for display only and never trusted. */
export interface SnapshotTool extends FrozenTool {
  /**
   * Digest of name, description and schemas as the server wrote them, numbers by their source text (docs/design/gate.md). The schemas above
   * hold doubles, so that any JSON store returns them unchanged; this digest also shows changes that doubles cannot.
   */
  definition_digest: string;
}

/** The part of a listing that a snapshot stores. */
export interface ToolListing {
  tools: SnapshotTool[];
  /** `sha256:` + 64 hex over names, descriptions and schemas in the order of the tools; annotations stay out. */
  digest: string;
}

/**
 * What `tools/list` answered, as it may be recorded.
 * @throws SandgateError `invalid_request` for what is never recorded: too many or too large, names that repeat or are malformed,
 * hidden characters in what a model reads, schemas that are no objects
 */
export function readToolListing(offered: readonly ExactJson[]): ToolListing {
  if (offered.length > MAX_TOOLS) {
    throw new SandgateError('invalid_request', `tools/list: more than ${MAX_TOOLS} tools`);
  }
  const tools = offered.map((tool, index) => readTool(tool, index));
  refuseTwice('tools/list', tools, 'tool');
  if (Buffer.byteLength(JSON.stringify(tools)) > MAX_SERIALIZED_BYTES) {
    throw new SandgateError('invalid_request', `tools/list: more than ${MAX_SERIALIZED_BYTES / 1024 / 1024} MiB`);
  }
  return { tools, digest: digestOf(offered.map(definitionOf)) };
}

function readTool(offered: ExactJson, index: number): SnapshotTool {
  const definition = definitionOf(offered);
  const annotations = isExactObject(offered) ? offered['annotations'] : undefined;
  const stored = asDoubles({ ...definition, ...(annotations === undefined ? {} : { annotations }) });
  return { ...parseTool(stored, 'tools/list', index), definition_digest: digestOf(definition) };
}

/** The stored members by their stored names; malformed members stay, for the reader to refuse. */
export function definitionOf(offered: ExactJson): ExactObject {
  if (!isExactObject(offered)) return {};
  const { name, description, inputSchema, outputSchema } = offered;
  return {
    name: name ?? null,
    description: description ?? '',
    input_schema: inputSchema ?? { type: 'object' },
    ...(outputSchema === undefined || outputSchema === null ? {} : { output_schema: outputSchema }),
  };
}

/** The same document with every number as the double nearest to it. */
export function asDoubles(value: ExactJson): JsonValue {
  return JSON.parse(canonicalJson(value)) as JsonValue;
}
