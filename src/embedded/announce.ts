import type { Installation } from './installation.js';

/** Prints every address of a started installation, and where the administrator's token is kept. */
export function addressLines(installation: Installation): string[] {
  const { url, folder, temporalWebUrl, adminTokenFile } = installation;
  const postgres = installation.embeddedPostgres ? `unix socket in ${folder.postgresSocketDir}` : 'DATABASE_URL';
  const token = adminTokenFile === undefined ? 'SERVICE_ADMIN_TOKEN' : `${adminTokenFile} (readable by you alone)`;
  return [
    ['API', `${url}/v1`],
    ['API reference', `${url}/v1/reference`],
    ['Temporal Web', temporalWebUrl ?? 'not known; set SERVICE_TEMPORAL_WEB_URL'],
    ['Temporal', installation.temporalAddress],
    ['PostgreSQL', postgres],
    ['State folder', folder.dir],
    ['Logs', folder.logs],
    ...documentsRows(installation),
    ['Admin token', token],
  ].map(([name, value]) => `  ${`${name}`.padEnd(14)} ${value}`);
}

function documentsRows({ documents }: Installation): [string, string][] {
  if (documents === null) return [];
  return [
    ['Documents API', `${documents.url}/api`],
    ['First client', `${documents.clientFile} (readable by you alone)`],
  ];
}
