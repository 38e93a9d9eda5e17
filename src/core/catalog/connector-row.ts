import type { ConnectorDefinition, ConnectorTier, Provenance } from '../../domain/catalog/connector.js';

/** A stored connector: of the whole deployment when it has no organization (docs/design/connections.md). */
export interface ConnectorRow extends ConnectorDefinition {
  id: string;
  tenant_id: string | null;
  tier: ConnectorTier;
  provenance: Provenance;
  disabled_at: Date | null;
  created_at: Date;
  updated_at: Date;
}
