import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { plantProject, plantWorkspace } from './plant-organization.js';

/** One row of each kind that an address can name. */
export interface PlantedResources {
  workspaces: string;
  projects: string;
  documents: string;
  uploads: string;
  webhooks: string;
  deliveries: string;
  schemas: string;
  'schema-versions': string;
  extractions: string;
}

/** Rows by the owner of the database, for specs that ask who may reach them. @param clientId a client of the organization */
export async function plantResources(owner: pg.Pool, orgId: string, clientId: string): Promise<PlantedResources> {
  const workspaces = await plantWorkspace(owner, orgId);
  const projects = await plantProject(owner, { orgId, workspaceId: workspaces });
  const [documents, versions, uploads] = [randomUUID(), randomUUID(), randomUUID()];
  const [webhooks, events, deliveries] = [randomUUID(), randomUUID(), randomUUID()];
  await owner.query(
    `insert into documents (id, org_id, project_id, name, latest_version_id) values ($1, $2, $3, 'a.pdf', $4)`,
    [documents, orgId, projects, versions],
  );
  await owner.query(
    `insert into document_versions (id, org_id, project_id, document_id, version, blob_key, size_bytes, status)
     values ($1, $2, $3, $4, 1, $5, 10, 'failed')`,
    [versions, orgId, projects, documents, `${versions}/original`],
  );
  await owner.query(
    `insert into upload_sessions (id, org_id, project_id, client_row_id, name, size_bytes, part_size_bytes, part_count, expires_at)
     values ($1, $2, $3, $4, 'b.pdf', 10, 10, 1, now() + interval '1 day')`,
    [uploads, orgId, projects, clientId],
  );
  await owner.query(
    `insert into webhooks (id, org_id, project_id, url, events, sealed_secret)
     values ($1, $2, $3, 'https://receiver.example/', '{*}', '\\x00')`,
    [webhooks, orgId, projects],
  );
  await owner.query(
    `insert into events_outbox (id, org_id, project_id, type, data) values ($1, $2, $3, 'document.ready', '{}')`,
    [events, orgId, projects],
  );
  await owner.query(
    `insert into deliveries (id, org_id, project_id, webhook_id, event_id, event_type, status)
     values ($1, $2, $3, $4, $5, 'document.ready', 'exhausted')`,
    [deliveries, orgId, projects, webhooks, events],
  );
  return {
    ...{ workspaces, projects, documents, uploads, webhooks, deliveries },
    ...(await plantExtraction(owner, { orgId, projects, versions })),
  };
}

/** A run over a version of a document, and the schema that it is for. */
async function plantExtraction(
  owner: pg.Pool,
  { orgId, projects, versions }: { orgId: string; projects: string; versions: string },
): Promise<Pick<PlantedResources, 'schemas' | 'schema-versions' | 'extractions'>> {
  const [schemas, schemaVersions] = [randomUUID(), randomUUID()];
  await owner.query(
    `insert into schemas (id, org_id, project_id, name, latest_version_id) values ($1, $2, $3, 'S', $4)`,
    [schemas, orgId, projects, schemaVersions],
  );
  await owner.query(
    `insert into schema_versions (id, org_id, schema_id, version, json_schema, digest, source, field_count)
     values ($1, $2, $3, 1, '{}', sha256('x'), 'manual', 1)`,
    [schemaVersions, orgId, schemas],
  );
  const extractions = randomUUID();
  await owner.query(
    `insert into extractions (id, org_id, project_id, schema_id, schema_version_id, external_id, request_digest, mode, engine,
       document_version_ids, status, items_total)
     values ($1, $2, $3, $4, $5, 'E', sha256('x'), 'per_document', 'local', array[$6::uuid], 'queued', 1)`,
    [extractions, orgId, projects, schemas, schemaVersions, versions],
  );
  return { schemas, 'schema-versions': schemaVersions, extractions };
}
