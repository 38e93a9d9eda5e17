import { createHash } from 'node:crypto';

const CALLBACK_PATH = '/v1/oauth/callback';
const CLIENT_DOCUMENT_PATH = '/.well-known/service-client.json';

/** The addresses of connecting by OAuth, which follow from where people reach this deployment (docs/design/oauth.md). */
export class PublicAddress {
  readonly origin: string;

  /** @param publicUrl SERVICE_PUBLIC_URL, or the listener's own address */
  constructor(publicUrl: string) {
    this.origin = publicUrl.replace(/\/+$/, '');
  }

  /**
   * Whether a browser keeps the flow's cookie here: it is `Secure`, so over plain http only on the machine itself (CP-058).
   */
  get canConnect(): boolean {
    return this.isHttps || isLoopback(this.url.hostname);
  }

  /** Whether authorization servers can read our client metadata document (CP-059). */
  get publishesClientDocument(): boolean {
    return this.isHttps && !isLoopback(this.url.hostname);
  }

  /** Of the client metadata document, and at once our client id where it is presented (CP-172). */
  get clientDocumentUrl(): string {
    return `${this.origin}${CLIENT_DOCUMENT_PATH}`;
  }

  get callbackUrl(): string {
    return `${this.origin}${CALLBACK_PATH}`;
  }

  /**
   * Where an authorization server sends people back to. One that says in each answer who it is shares one address with all others
   * of its kind; any other has an address of its own, so that an answer of one server is never taken for an answer of another
   * (RFC 9700 §4.4).
   */
  callbackFor({ issuer, namesItself }: { issuer: string; namesItself: boolean }): string {
    if (namesItself) return this.callbackUrl;
    const key = createHash('sha256').update(issuer).digest('base64url').slice(0, 22);
    return `${this.callbackUrl}/${key}`;
  }

  private get isHttps(): boolean {
    return this.url.protocol === 'https:';
  }

  private get url(): URL {
    return new URL(this.origin);
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
}
