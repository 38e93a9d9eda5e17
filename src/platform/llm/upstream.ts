import { Agent } from 'undici';
import type { Dispatcher } from 'undici';

/** Where model calls go and with which key; see `LlmConfig` for the variables. */
export interface UpstreamSettings {
  anthropicUrl: string;
  anthropicApiKey: string | null;
  upstreamUrl: string | null;
  upstreamKey: string | null;
}

/** A model request may last this long, its stream included (chapter 20 §15.4). */
export const UPSTREAM_TIMEOUT_MS = 900_000;

const ANTHROPIC_VERSION = '2023-06-01';

export interface UpstreamRequest {
  /** Path below the provider's base, a constant of ours and never the caller's text. */
  path: string;
  body: string;
  anthropicVersion: string | undefined;
  anthropicBeta: string | undefined;
}

/** What must be set before a model can be called; null when nothing is missing. */
export function missingUpstream(settings: UpstreamSettings): string | null {
  if (settings.upstreamUrl !== null) {
    return settings.upstreamKey === null
      ? 'no key for the model gateway; set SERVICE_LLM_UPSTREAM_KEY beside SERVICE_LLM_UPSTREAM_URL'
      : null;
  }
  return settings.anthropicApiKey === null
    ? 'no model provider; set ANTHROPIC_API_KEY, or SERVICE_LLM_UPSTREAM_URL and SERVICE_LLM_UPSTREAM_KEY'
    : null;
}

/** The one model provider or gateway of this deployment. Holds the key; nothing that a client sends reaches its headers but the API version and betas. */
export class ModelUpstream {
  private readonly origin: string;
  private readonly prefix: string;
  private readonly keyHeaders: Record<string, string>;
  private readonly agent: Agent;

  /** Throws when `missingUpstream(settings)` says that something is missing. */
  constructor(settings: UpstreamSettings) {
    const missing = missingUpstream(settings);
    if (missing !== null) throw new TypeError(missing);
    const url = new URL(settings.upstreamUrl ?? settings.anthropicUrl);
    const key = settings.upstreamUrl === null ? settings.anthropicApiKey : settings.upstreamKey;
    this.origin = url.origin;
    this.prefix = url.pathname.replace(/\/+$/, '');
    this.keyHeaders = { 'x-api-key': key ?? '' };
    if (settings.upstreamUrl !== null) this.keyHeaders['authorization'] = `Bearer ${key ?? ''}`;
    this.agent = new Agent({
      connections: 512,
      pipelining: 1,
      headersTimeout: UPSTREAM_TIMEOUT_MS,
      bodyTimeout: UPSTREAM_TIMEOUT_MS,
      connect: { timeout: 30_000 },
      keepAliveTimeout: 60_000,
    });
  }

  /** Sends one request; never retries, because a model call that may have begun may have been billed. */
  dispatch(request: UpstreamRequest, handler: Dispatcher.DispatchHandler): void {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'anthropic-version': request.anthropicVersion ?? ANTHROPIC_VERSION,
      ...this.keyHeaders,
    };
    if (request.anthropicBeta !== undefined) headers['anthropic-beta'] = request.anthropicBeta;
    this.agent.dispatch(
      { origin: this.origin, path: this.prefix + request.path, method: 'POST', headers, body: request.body },
      handler,
    );
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
