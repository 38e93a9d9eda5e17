import type { GuardedClient } from '../../platform/egress/guarded-client.js';

/** Of every request of connecting and refreshing (docs/design/oauth.md). */
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 262_144;

export interface OAuthRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Only reading metadata and registering follow redirects, each hop admitted anew (docs/design/egress.md). */
  redirects: 'refuse' | 'follow';
  /** For requests that need the headers of the answer only; its body may be an endless stream. */
  headersOnly?: boolean;
}

export interface OAuthAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** The way to MCP servers and authorization servers while connecting: the guarded client, with the limits of this traffic. */
export class OAuthHttp {
  constructor(private readonly client: Pick<GuardedClient, 'request' | 'admitUrl'>) {}

  /** @returns null, or why the address is refused before any network is asked */
  admit(url: string): string | null {
    return this.client.admitUrl(url);
  }

  /** @throws EgressError when the address is refused or the request fails */
  async send({ headersOnly, ...request }: OAuthRequest): Promise<OAuthAnswer> {
    const answer = await this.client.request({ ...request, timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_ANSWER_BYTES });
    if (headersOnly === true) {
      answer.discard();
      return { status: answer.status, headers: answer.headers, text: '' };
    }
    const body = await answer.readBody();
    return { status: answer.status, headers: answer.headers, text: body.toString('utf8') };
  }
}
