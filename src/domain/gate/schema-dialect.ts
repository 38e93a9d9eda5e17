/** Which JSON Schema a frozen tool's schema is read as. */
export type SchemaDialect = '2020-12' | 'draft-07';

/**
 * The dialect that the frozen protocol version of a server asks for; bundles have negotiated none (CP-320).
 * A `$schema` inside the schema is ignored.
 */
export function dialectOf(protocolVersion: string | undefined): SchemaDialect {
  return protocolVersion === undefined || protocolVersion === '2025-11-25' ? '2020-12' : 'draft-07';
}
