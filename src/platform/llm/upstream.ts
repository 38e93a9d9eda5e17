// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- its connections are opened by src/platform/egress
import { Agent } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import type { Dialect } from '../../domain/models/dialect.js';

/** Where model calls go and with which keys; see `LlmConfig` for the variables. */
export interface UpstreamSettings {
  anthropicUrl: string;
  anthropicApiKey: string | null;
  openaiUrl: string;
  openaiApiKey: string | null;
  upstreamUrl: string | null;
  upstreamKey: string | null;
}

/** A model request may last this long, its stream included (docs/design/model-gateway.md). */
export const UPSTREAM_TIMEOUT_MS = 900_000;

const ANTHROPIC_VERSION = '2023-06-01';

/** What the endpoints of the providers are called below their base; nothing that a caller sends becomes part of an address. */
export type UpstreamPath = '/messages' | '/messages/count_tokens' | '/responses' | '/chat/completions';

export interface UpstreamRequest {
  path: UpstreamPath;
  body: string;
  anthropicVersion: string | undefined;
  anthropicBeta: string | undefined;
}

/** What must be set before a model can be called in this dialect; null when nothing is missing. */
export function missingUpstream(settings: UpstreamSettings, dialect: Dialect): string | null {
  if (settings.upstreamUrl !== null) {
    return settings.upstreamKey === null
      ? 'no key for the model gateway: set SERVICE_LLM_UPSTREAM_KEY beside SERVICE_LLM_UPSTREAM_URL'
      : null;
  }
  const [key, provider, variable] =
    dialect === 'anthropic'
      ? [settings.anthropicApiKey, 'Anthropic', 'ANTHROPIC_API_KEY']
      : [settings.openaiApiKey, 'OpenAI', 'OPENAI_API_KEY'];
  return key === null
    ? `no model provider for ${provider} models: set ${variable}, or SERVICE_LLM_UPSTREAM_URL with SERVICE_LLM_UPSTREAM_KEY`
    : null;
}

/** Whether the provider of the OpenAI dialects keeps answers unless told not to: OpenAI itself, or a provider behind a gateway. */
export function providerStores(settings: UpstreamSettings): boolean {
  return settings.upstreamUrl !== null || /(^|\.)openai\.(com|azure\.com)$/.test(new URL(settings.openaiUrl).hostname);
}

/** Base address of a dialect, which ends before the names of `UpstreamPath`. */
function baseOf(settings: UpstreamSettings, dialect: Dialect): URL {
  const versioned = (address: string): URL => new URL(`${address.replace(/\/+$/, '')}/v1`);
  if (settings.upstreamUrl !== null) return versioned(settings.upstreamUrl);
  if (dialect === 'anthropic') return versioned(settings.anthropicUrl);
  const url = new URL(settings.openaiUrl);
  return url.pathname === '/' ? versioned(settings.openaiUrl) : url;
}

function keyHeadersOf(settings: UpstreamSettings, dialect: Dialect): Record<string, string> {
  if (dialect !== 'anthropic')
    return { authorization: `Bearer ${settings.upstreamUrl === null ? settings.openaiApiKey : settings.upstreamKey}` };
  if (settings.upstreamUrl === null) return { 'x-api-key': settings.anthropicApiKey ?? '' };
  return { 'x-api-key': settings.upstreamKey ?? '', authorization: `Bearer ${settings.upstreamKey}` };
}

/**
 * The model provider or gateway of this deployment for one dialect. Holds the key; nothing that a client sends reaches its
 * headers but Anthropic's API version and betas.
 */
export class ModelUpstream {
  private readonly origin: string;
  private readonly prefix: string;
  private readonly headers: Record<string, string>;
  private readonly agent: Agent;

  /**
   * @param connect how connections are opened: through the proxy where there is one
   * @throws TypeError when `missingUpstream(settings, dialect)` says that something is missing
   */
  constructor(
    settings: UpstreamSettings,
    private readonly dialect: Dialect,
    connect: buildConnector.connector,
  ) {
    const missing = missingUpstream(settings, dialect);
    if (missing !== null) throw new TypeError(missing);
    const base = baseOf(settings, dialect);
    this.origin = base.origin;
    this.prefix = base.pathname.replace(/\/+$/, '');
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...keyHeadersOf(settings, dialect),
    };
    this.agent = new Agent({
      connections: 512,
      pipelining: 1,
      headersTimeout: UPSTREAM_TIMEOUT_MS,
      bodyTimeout: UPSTREAM_TIMEOUT_MS,
      connect,
      keepAliveTimeout: 60_000,
    });
  }

  /** Sends one request; never retries, because a model call that may have begun may have been billed. */
  dispatch(request: UpstreamRequest, handler: Dispatcher.DispatchHandler): void {
    this.agent.dispatch(
      {
        origin: this.origin,
        path: this.prefix + request.path,
        method: 'POST',
        headers: { ...this.headers, ...this.versionHeaders(request) },
        body: request.body,
      },
      handler,
    );
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private versionHeaders({ anthropicVersion, anthropicBeta }: UpstreamRequest): Record<string, string> {
    if (this.dialect !== 'anthropic') return {};
    const version = { 'anthropic-version': anthropicVersion ?? ANTHROPIC_VERSION };
    return anthropicBeta === undefined ? version : { ...version, 'anthropic-beta': anthropicBeta };
  }
}
