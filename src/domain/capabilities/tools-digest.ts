import { digestOf } from '../digest/digest.js';
import type { ExactJson } from '../digest/exact-json.js';
import type { FrozenTool } from '../run/spec.js';

/**
 * `sha256:` + 64 hex over what decides how a server's tools may be called (docs/design/tools.md): names, descriptions and schemas in
 * their order. Annotations are display only and stay out.
 */
export function toolsDigest(tools: readonly FrozenTool[]): string {
  return digestOf(
    tools.map(({ name, description, input_schema, output_schema }): ExactJson => ({
      name,
      description,
      input_schema,
      ...(output_schema === undefined ? {} : { output_schema }),
    })),
  );
}
