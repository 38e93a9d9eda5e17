import { existsSync } from 'node:fs';
import { CERTIFICATE_FILES, javaProxyOptions, networkVariables } from '../../domain/network/tool-variables.js';
import type { RunnerSettings } from '../launch/runner-settings.js';
import { openConnectProxy } from './connect-proxy.js';
import { RefusalLog } from './refusal-log.js';

/** The proxy of the run, and what leads the tools to it. */
export interface WayOut {
  variables: Record<string, string>;
  refusals: RefusalLog;
  close(): Promise<void>;
}

/** Every run has one, offline runs too: what they ask for is refused, and on the record. */
export async function openWayOut(settings: RunnerSettings, token: string): Promise<WayOut> {
  const { controlUrl, planeSocket, network, agentVariables } = settings;
  const refusals = new RefusalLog();
  const proxy = await openConnectProxy({ controlUrl, socketPath: planeSocket, token }, refusals);
  const certificates = CERTIFICATE_FILES.find((path) => existsSync(path)) ?? null;
  const maven = [agentVariables['MAVEN_OPTS'], javaProxyOptions(proxy.url)].filter((part) => part !== undefined);
  const variables = { ...networkVariables(network, proxy.url, certificates), MAVEN_OPTS: maven.join(' ') };
  return { variables, refusals, close: () => proxy.close() };
}
