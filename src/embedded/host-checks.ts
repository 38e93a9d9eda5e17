import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { installCommand, PROGRAM_HARNESSES } from '../domain/harness/harness-program.js';
import { countFailedNotices } from '../core/approvals/notice-records.js';
import { configWarnings, loadConfig } from '../platform/config/index.js';
import type { SandgateConfig } from '../platform/config/index.js';
import type { Inspection } from '../platform/sandbox/choice/inspect-host.js';
import { usableHarnesses } from '../platform/packages/harnesses/installed-program.js';
import { readServerVersion, withClient } from '../platform/postgres/one-off.js';
import { checkRuntimeRoles, hasRuntimeRole, RUNTIME_SESSION } from '../platform/postgres/runtime-role.js';
import { missingSearchAttributes } from '../platform/temporal/search-attributes.js';
import { embeddedDatabaseUrl } from './postgres.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { reachProxy } from './proxy-check.js';
import { locate } from './state-folder.js';
import { readLiveInstance } from './state-lock.js';
import { findTemporalBinary } from './temporal-binary.js';
import { requireUserNamespace } from './user-namespace.js';

export interface HostCheck {
  readonly name: string;
  /** `note` is worth knowing; `warn` lacks something that can wait; `fail` stops a start or a run. */
  readonly result: 'ok' | 'note' | 'warn' | 'fail';
  readonly detail: string;
}

/** Checks by trial everything that a start on this machine depends on. Throws `ConfigError` for a configuration that refuses. */
export async function checkHost(env: NodeJS.ProcessEnv): Promise<HostCheck[]> {
  const config = loadConfig(env);
  const checks = await Promise.all([
    attempt('node', 'fail', () => Promise.resolve(`${process.version}, ${process.platform} ${process.arch}`)),
    attempt('git', 'fail', async () =>
      (await promisify(execFile)('git', ['--version'], { timeout: 10_000 })).stdout.trim(),
    ),
    checkSandbox(config),
    checkPostgres(config),
    checkRoles(config),
    checkTemporal(config, env),
    attempt('state folder', 'fail', () => Promise.resolve(describeState(config.data.dir))),
    checkModel(config),
    checkPrograms(config),
    checkServer(config),
    ...(config.egress.proxy === null ? [] : [checkProxy(config.egress.proxy)]),
    ...(config.notices.url === null ? [] : [checkNotices(config)]),
  ]);
  const warnings = configWarnings(config, env).filter((warning) => !warning.startsWith('no sealing key'));
  return [...checks.flat(), ...warnings.map((detail) => ({ name: 'configuration', result: 'warn', detail }) as const)];
}

async function checkSandbox({ sandbox, http }: SandgateConfig): Promise<HostCheck[]> {
  try {
    const { inspectHost } = await import('../platform/sandbox/choice/inspect-host.js');
    return describeProviders(await inspectHost(sandbox, http));
  } catch (error) {
    return [{ name: 'sandbox', result: 'fail', detail: describe(error) }];
  }
}

/** The provider that a start takes, with what a person should know of it, and then why the other one could not take its place, or that it could. */
export function describeProviders(found: readonly Inspection[]): HostCheck[] {
  const chosen = found.filter(({ isChosen }) => isChosen);
  const working = chosen.find(({ report }) => report.ok);
  const missing = ({ name, report }: Inspection): string => `${name}: ${report.missing.join('; ')}`;
  const notes = new Set(chosen.flatMap(({ report }) => report.notes));
  const other = found.filter(({ isChosen }) => !isChosen);
  return [
    working === undefined
      ? { name: 'sandbox', result: 'fail', detail: chosen.map(missing).join('; ') }
      : { name: 'sandbox', result: 'ok', detail: `${working.name} works here` },
    ...[...notes].map((detail) => ({ name: 'sandbox', result: 'note', detail }) as const),
    ...other.map((one) => {
      const { name, report } = one;
      const more = report.notes.filter((note) => !notes.has(note));
      const works = [`${name} works here too (SERVICE_PROVIDER=${name})`, ...more].join('; ');
      return {
        name: 'sandbox',
        result: 'note',
        detail: report.ok ? works : `not used, and lacking: ${missing(one)}`,
      } as const;
    }),
  ];
}

function checkPostgres(config: SandgateConfig): Promise<HostCheck> {
  return attempt('postgresql', 'fail', async () => {
    if (config.database.url === null) {
      requireUserNamespace();
      const { postgres } = findPostgresBinaries();
      return (await promisify(execFile)(postgres, ['--version'], { timeout: 10_000 })).stdout.trim();
    }
    const version = await readServerVersion({ connectionString: config.database.url, connectionTimeoutMillis: 10_000 });
    return `DATABASE_URL answers, version ${version}`;
  });
}

async function checkTemporal(config: SandgateConfig, env: NodeJS.ProcessEnv): Promise<HostCheck> {
  const configured = ['TEMPORAL_ADDRESS', 'TEMPORAL_CONFIG_FILE', 'TEMPORAL_PROFILE'].some(
    (name) => (env[name] ?? '') !== '',
  );
  if (configured) return checkTemporalServer(config);
  return attempt('temporal', 'warn', async () => {
    const binary = config.temporal.binary ?? (await findTemporalBinary());
    if (binary === undefined) throw new Error('no temporal program yet; the first start gets one');
    return binary;
  });
}

/** Without the right to add search attributes runs still go on; they are just harder to find. */
async function checkTemporalServer({ temporal }: SandgateConfig): Promise<HostCheck> {
  let missing: string[] = [];
  const check = await attempt('temporal', 'fail', async () => {
    const connection = await Connection.connect({ ...temporal.connection, connectTimeout: '10s' });
    try {
      missing = await missingSearchAttributes(connection, temporal.namespace);
    } finally {
      await connection.close();
    }
    return `${temporal.address} answers, namespace ${temporal.namespace}`;
  });
  if (check.result !== 'ok' || missing.length === 0) return check;
  return { ...check, result: 'warn', detail: `${check.detail}; search attributes ${missing.join(', ')} are missing` };
}

function describeState(dir: string): string {
  if (!existsSync(dir)) return `${dir} (made by the first start)`;
  const { mode, uid } = statSync(dir);
  if (uid !== process.getuid?.()) throw new Error(`${dir} belongs to user id ${uid}`);
  if ((mode & 0o077) !== 0)
    throw new Error(`${dir} is readable by others (mode ${(mode & 0o777).toString(8)}); a start corrects that`);
  return dir;
}

function checkModel(config: SandgateConfig): Promise<HostCheck> {
  return attempt('model', 'warn', () => {
    if (config.llm.upstreamUrl !== null) return Promise.resolve(`gateway ${config.llm.upstreamUrl}`);
    const direct = [
      ...(config.llm.anthropicApiKey === null ? [] : [config.llm.anthropicUrl]),
      ...(config.llm.openaiApiKey === null ? [] : [config.llm.openaiUrl]),
    ];
    if (direct.length > 0) return Promise.resolve(direct.join(', '));
    return Promise.reject(
      new Error(
        'no model provider: set ANTHROPIC_API_KEY, OPENAI_API_KEY or SERVICE_LLM_UPSTREAM_URL; without one only harness replay runs',
      ),
    );
  });
}

/** Harnesses whose program is optional: not having one is no fault. */
function checkPrograms(config: SandgateConfig): Promise<HostCheck> {
  return attempt('harnesses', 'warn', async () => {
    const usable = await usableHarnesses(config.data.dir);
    const missing = PROGRAM_HARNESSES.filter((harness) => !usable.includes(harness));
    const hints = missing.map((harness) => `; for ${harness} run \`${installCommand(harness)}\``);
    return `${usable.join(', ')}${hints.join('')}`;
  });
}

/** Pending approvals that nobody was told of, although a webhook is configured. */
function checkNotices(config: SandgateConfig): Promise<HostCheck> {
  return attempt('approval webhook', 'warn', async () => {
    const connectionString = reachableDatabase(config);
    if (connectionString === null) return 'configured; the server does not run';
    const failed = await withClient({ connectionString, connectionTimeoutMillis: 10_000 }, (client) =>
      countFailedNotices(client, 24),
    );
    if (failed > 0)
      throw new Error(
        `${failed} pending approval(s) of the last day could not be told to anybody; the worker's log says why (SERVICE_APPROVAL_WEBHOOK_URL)`,
      );
    return 'every notice of the last day was taken';
  });
}

/**
 * What a boot would say of the database roles (docs/design/identity.md), asked over a connection like those of the processes. A
 * database that is not running has no roles to look at.
 */
async function checkRoles(config: SandgateConfig): Promise<HostCheck[]> {
  const connectionString = reachableDatabase(config);
  if (connectionString === null) return [];
  const connection = { connectionString, connectionTimeoutMillis: 10_000 };
  const mode = { requireSso: config.auth.requireSso, allowRlsBypass: config.database.allowRlsBypass };
  let warnings: string[] = [];
  const check = await attempt('isolation', 'fail', async () => {
    if (!(await withClient(connection, hasRuntimeRole))) return 'the first start makes the database roles';
    const asRuntime = { ...connection, options: RUNTIME_SESSION };
    warnings = await withClient(asRuntime, (client) => checkRuntimeRoles(client, mode));
    return 'row-level isolation binds what processes run as';
  });
  return warnings.length === 0 ? [check] : warnings.map((detail) => ({ name: check.name, result: 'warn', detail }));
}

/** The configured database, else that of the installation that runs here; null without either. */
function reachableDatabase({ database, data }: SandgateConfig): string | null {
  const folder = locate(data.dir);
  if (database.url !== null) return database.url;
  return readLiveInstance(folder.lock) === undefined ? null : embeddedDatabaseUrl(folder);
}

function checkProxy(proxy: string): Promise<HostCheck> {
  return attempt('outbound', 'warn', () => reachProxy(proxy));
}

function checkServer(config: SandgateConfig): Promise<HostCheck> {
  return attempt('server', 'fail', async () => {
    const instance = readLiveInstance(locate(config.data.dir).lock);
    if (instance?.url === undefined) return 'not running on this state folder';
    const response = await fetch(`${instance.url}/v1/health/ready`, { signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(`${instance.url} answers ${response.status}`);
    return `${instance.url}, process ${instance.pid}`;
  });
}

async function attempt(name: string, otherwise: 'warn' | 'fail', check: () => Promise<string>): Promise<HostCheck> {
  try {
    return { name, result: 'ok', detail: await check() };
  } catch (error) {
    return { name, result: otherwise, detail: describe(error) };
  }
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
