import type { GuardedClient } from '../egress/guarded-client.js';
import { isLoopbackHost } from '../host/loopback.js';

/** Of every request to an identity provider (docs/design/identity.md). */
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 262_144;
/** Statuses whose answers have no body, also not an empty one. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

interface OidcRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Only what the provider publishes is read through redirects; each hop is judged like the first. */
  redirects: 'refuse' | 'follow';
}

/** The way to identity providers, with the limits of this traffic. */
export class OidcHttp {
  /** @param client of the operator's lane: the operator configures providers, so no class of addresses is closed to them */
  constructor(private readonly client: Pick<GuardedClient, 'request'>) {}

  /** @throws EgressError */
  async send(request: OidcRequest): Promise<Response> {
    const answer = await this.client.request({
      ...request,
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
      admits: (url) => leadsOn(new URL(request.url), url),
    });
    const body = await answer.readBody();
    const text = BODILESS.has(answer.status) ? null : body.toString('utf8');
    return new Response(text, { status: answer.status, headers: answer.headers });
  }

  /** Reads a document that the provider publishes. @throws EgressError */
  read(url: string): Promise<Response> {
    return this.send({ method: 'GET', url, headers: { accept: 'application/json' }, redirects: 'follow' });
  }
}

/** https, or plain http on this machine: what travels there are credentials, and keys that decide who somebody is. */
export function isProviderAddress(url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(host));
}

/** Whether one address of a provider may send us to another: never from https down to plain http. */
export function leadsOn(from: URL, to: URL): boolean {
  return isProviderAddress(to) && (to.protocol === 'https:' || from.protocol === 'http:');
}
