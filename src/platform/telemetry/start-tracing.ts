import type { Logger } from './logger.js';
import { Tracing } from './tracing.js';

/**
 * Switches tracing on when the standard variables of OpenTelemetry ask for it; otherwise nothing of its SDK is loaded.
 *
 * @param service the name of this process where `OTEL_SERVICE_NAME` gives none
 */
export async function startTracing(
  service: string,
  env: NodeJS.ProcessEnv,
  log: Pick<Logger, 'warn' | 'error'>,
): Promise<Tracing> {
  if (!asksForTraces(env)) return Tracing.off;
  const { startSdk } = await import('./open-telemetry-sdk.js');
  return startSdk(service, env, log);
}

/** An exporter that is named, or an endpoint to which the default one can send. */
export function asksForTraces(env: NodeJS.ProcessEnv): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  const exporters = env['OTEL_TRACES_EXPORTER']?.trim() ?? '';
  if (exporters !== '') return exporters.toLowerCase() !== 'none';
  return ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].some((name) => (env[name] ?? '') !== '');
}
