import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { StartRefused } from '../../../src/embedded/start-refused.js';
import { ConfigError } from '../platform/config/index.js';
import { DocsvcInstallation } from './installation.js';

/** `npm start -w documents`: runs the documents service on this machine until it is told to stop. */

/** A missing or unusable part of the host, as sysexits has it. */
const EX_UNAVAILABLE = 69;
const EX_CONFIG = 78;

/** Every address of a started installation, and where the secret of its first client is kept. */
function addressLines({
  url,
  folder,
  temporalAddress,
  temporalWebUrl,
  embeddedPostgres,
}: DocsvcInstallation): string[] {
  const rows = [
    ['API', `${url}/api`],
    ['Token endpoint', `${url}/oauth/token`],
    ['Temporal Web', temporalWebUrl ?? 'not known; set DOCSVC_TEMPORAL_WEB_URL'],
    ['Temporal', temporalAddress],
    ['PostgreSQL', embeddedPostgres ? `unix socket in ${folder.postgresSocketDir}` : 'DOCSVC_DATABASE_URL'],
    ['State folder', folder.dir],
    ['Logs', folder.logs],
    ['First client', firstClient(folder.firstClient)],
  ];
  return rows.map(([name, value]) => `  ${`${name}`.padEnd(14)} ${value}`);
}

function firstClient(path: string): string {
  return existsSync(path) ? `${path} (readable by you alone)` : 'made elsewhere; this folder holds no secret of it';
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());

try {
  const begun = Date.now();
  const installation = await DocsvcInstallation.start({
    env: process.env,
    notify: (line) => void process.stderr.write(`${line}\n`),
    signal: stop.signal,
  });
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  process.stdout.write(`The documents service runs (started in ${seconds} s). Stop it with Ctrl+C.\n`);
  for (const line of addressLines(installation)) process.stdout.write(`${line}\n`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  await installation.stop();
  // Nothing that is still open is needed.
  process.exit(0);
} catch (error) {
  const known = error instanceof StartRefused || error instanceof ConfigError;
  if (!known && !(error instanceof Error)) throw error;
  process.stderr.write(`docsvc: ${error.message}\n`);
  process.exit(error instanceof ConfigError ? EX_CONFIG : EX_UNAVAILABLE);
}
