import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { installationFolder } from '../platform/host/installation-folder.js';
import { nodeProgram, runToItsEnd, statusOf, untilPolled, type PolledQueue, type Shared } from './service-parts.js';
import { StartRefused } from './start-refused.js';
import type { PartDefinition } from './supervised-process.js';
import type { TemporalContents } from './temporal.js';

/** Name of the database, of the login that owns it and of the Temporal namespace. */
export const DOCSVC = 'docsvc';

/** What the workflows of the documents service need of their server. */
export const DOCSVC_TEMPORAL: TemporalContents = {
  namespaces: [DOCSVC],
  searchAttributes: { DocsvcOrg: 'Keyword', DocsvcStage: 'Keyword' },
};

/** Batches of pages come and go: a heap that is swept sooner leaves the memory of the host to parsers. */
export const SMALL_HEAP = ['--max-semi-space-size=2', '--max-old-space-size=1024'];

const READY_TIMEOUT_MS = 60_000;

/** Where a documents service stands. */
export interface DocumentsPlace {
  /** Its state folder. */
  readonly dir: string;
  readonly bind: string;
  /** Null when it is configured. */
  readonly databaseUrl: string | null;
  /** Null when Temporal is configured: then the operator's own client environment stands. */
  readonly temporalAddress: string | null;
  readonly temporalWebUrl: string | null;
}

/** Names of the environment that are the control plane's, or of either product, and that no process of the other one is to see. */
const OF_THE_CONTROL_PLANE =
  /^(SERVICE_|DATABASE_URL$|DATABASE_URL_FILE$|ANTHROPIC_API_KEY|OPENAI_API_KEY|TEMPORAL_NAMESPACE$)/;
const OF_DOCUMENTS = /^DOCSVC_/;

/** The environment of the control plane's processes: it shares no setting and no secret with the documents service. */
export function withoutDocuments(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return without(env, OF_DOCUMENTS);
}

/** The environment of API and worker of the documents service. The sealing key goes by file, so that no process environment holds it. */
export function documentsEnvironment(base: NodeJS.ProcessEnv, place: DocumentsPlace): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...without(base, OF_THE_CONTROL_PLANE),
    NODE_ENV: base['NODE_ENV'] ?? 'production',
    // Without a bound the C library keeps a heap for every thread of the Temporal core.
    MALLOC_ARENA_MAX: base['MALLOC_ARENA_MAX'] ?? '2',
    DOCSVC_SUPERVISED: '1',
    DOCSVC_DATA_DIR: place.dir,
    DOCSVC_BIND: place.bind,
  };
  if (place.databaseUrl !== null) env['DOCSVC_DATABASE_URL'] = place.databaseUrl;
  if (place.temporalAddress !== null) env['DOCSVC_TEMPORAL_ADDRESS'] = place.temporalAddress;
  if (place.temporalWebUrl !== null) env['DOCSVC_TEMPORAL_WEB_URL'] ??= place.temporalWebUrl;
  const sealed = (base['DOCSVC_SEAL_KEY'] ?? '') !== '' || (base['DOCSVC_SEAL_KEY_FILE'] ?? '') !== '';
  if (!sealed) env['DOCSVC_SEAL_KEY_FILE'] = join(place.dir, 'seal-key');
  return env;
}

/** The built programs of the documents service, found by their place: nothing of it is imported here. */
export class DocumentsPrograms {
  private readonly folder: string;

  /** @throws StartRefused where they are not built */
  constructor() {
    this.folder = locatePrograms();
  }

  /**
   * Brings the database to its schema, makes the namespace and, at the first start, the sealing key, an organization and its client.
   *
   * @throws StartRefused with the reason
   */
  async prepare(env: NodeJS.ProcessEnv): Promise<void> {
    await runToItsEnd(this.program('prepare/main.js'), env, 'the documents service could not be prepared');
  }

  api(shared: Shared, env: NodeJS.ProcessEnv, url: string): PartDefinition {
    return {
      ...shared,
      name: 'docsvc-api',
      stopSignal: 'SIGTERM',
      launch: () => ({ argv: nodeProgram(this.program('api/main.js')), env, channel: true }),
      ready: (signal) => untilReady(url, signal),
    };
  }

  worker(shared: Shared, env: NodeJS.ProcessEnv, temporal: Omit<PolledQueue, 'taskQueue'>): PartDefinition {
    return {
      ...shared,
      name: 'docsvc-worker',
      stopSignal: 'SIGTERM',
      launch: () => ({ argv: nodeProgram(this.program('worker/main.js'), SMALL_HEAP), env, channel: true }),
      ready: (signal) => untilPolled({ ...temporal, taskQueue: 'docsvc-ingest' }, Date.now(), signal),
    };
  }

  private program(path: string): URL {
    return pathToFileURL(join(this.folder, path));
  }
}

function locatePrograms(): string {
  const place = join('dist', 'documents');
  try {
    return installationFolder(place, join('api', 'main.js'));
  } catch (cause) {
    throw new StartRefused(
      `the documents service is not built (${place}): run \`npm run build -w documents\`, or start with \`npm start\`, which builds it`,
      { cause },
    );
  }
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const status = await statusOf(`${url}/api/health/ready`);
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`${url} is not ready (last status ${status})`);
    await delay(25, undefined, { signal });
  }
}

function without(env: NodeJS.ProcessEnv, names: RegExp): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.test(name)));
}
