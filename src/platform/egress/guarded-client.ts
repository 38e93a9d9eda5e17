import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { judgeUrl } from './admission.js';
import { limitBody } from './answer-body.js';
import { createConnector, type ConnectorSettings } from './connector.js';
import { EgressError } from './egress-error.js';
import { GuardedCall } from './guarded-call.js';
import type { GuardedRequest, GuardedResponse } from './guarded-request.js';
import { openStream, type StreamRequest } from './guarded-stream.js';
import { nextHop, type Hop } from './redirects.js';
import { chooseRoute, resolveBySystem, type Lane } from './outbound-route.js';

/** Headers of an answer together. */
const MAX_HEADER_BYTES = 32_768;
const MAX_HOPS = 10;
/** Shorter than common servers keep idle connections, so that a request rarely meets one that is being closed. */
const IDLE_MS = 4_000;
/** To one origin at once. */
const MAX_CONNECTIONS = 256;

/**
 * The one client for requests of the control plane to hosts that it does not own (docs/design/egress.md): what it may reach is decided
 * before every connection, the answer has limits, cookies and retries do not exist. One instance per process and lane.
 */
export class GuardedClient {
  private readonly agent: Agent;

  constructor(
    private readonly settings: ConnectorSettings,
    private readonly lane: Lane = 'guarded',
  ) {
    this.agent = new Agent({
      connect: createConnector(settings, lane),
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
    });
  }

  /**
   * The check at save time: scheme, spelling and literal addresses; names are not resolved.
   *
   * @returns null, or the class for which the address is refused: a caller writes `base_url rejected: <class>`
   */
  admitUrl(url: string): string | null {
    const judged = judgeUrl(url, this.settings.networks);
    return judged instanceof URL ? null : judged.text;
  }

  /**
   * The addresses of a host for a program that connects by itself: resolved once; refused when ANY answer is in a refused class.
   *
   * @returns addresses without brackets, in the resolver's order; null when the proxy resolves the name
   * @throws EgressError `address`, `plain_http` or `dns`
   */
  async resolvePinned(host: string, plainHttp = false): Promise<readonly string[] | null> {
    const { networks, proxy, resolve = resolveBySystem } = this.settings;
    let answered = 0;
    const counted = async (name: string): Promise<readonly string[]> => {
      const answers = await resolve(name);
      answered = answers.length;
      return answers;
    };
    const hostname = hostOf(host);
    const settings = { lane: this.lane, networks, resolve: counted, proxied: proxy !== null };
    const route = await chooseRoute(settings, hostname, plainHttp);
    if (route.via === 'proxy') return null;
    if (answered > route.addresses.length) {
      throw new EgressError('address', false, 'the host name also leads to a private/loopback/link-local address');
    }
    return route.addresses.map((address) => address.toString());
  }

  /** A TCP stream to a host, judged as a request to it would be. @throws EgressError as {@link openStream} */
  openStream(request: StreamRequest): Promise<Socket> {
    return openStream(this.settings, request);
  }

  /**
   * Sends one request; never repeats it.
   *
   * @throws EgressError whose `sent` is false only when no byte of the request was written
   */
  async request(request: GuardedRequest): Promise<GuardedResponse> {
    const call = new GuardedCall(request.timeoutMs, request.signal);
    try {
      return await this.follow(call, request);
    } catch (cause) {
      call.end();
      throw call.describe(cause);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async follow(call: GuardedCall, request: GuardedRequest): Promise<GuardedResponse> {
    let hop: Hop = {
      url: request.url,
      method: request.method,
      headers: ownHeaders(request.headers),
      body: request.body,
    };
    for (let hops = 0; ; hops++) {
      const url = this.admit(hop.url);
      if (request.admits?.(url) === false)
        throw new EgressError('url', hops > 0, 'the address is not one that this request may go to');
      const answer = await this.send(call, url, hop);
      // A failure of the raw body reaches the reader through the limited one; an abandoned body has no reader.
      answer.body.on('error', () => undefined);
      if (answer.statusCode < 300 || answer.statusCode > 399) return this.respond(call, request, answer);
      const headers = headersOf(answer.headers);
      const next = nextHop(url, hop, answer.statusCode, headers.get('location'));
      if (request.redirects === 'follow' && next === null) return this.respond(call, request, answer);
      answer.body.destroy();
      if (request.redirects === 'refuse')
        throw new EgressError('redirect', true, 'upstream attempted redirect (refused)');
      if (next === null || hops === MAX_HOPS) {
        throw new EgressError('too_many_redirects', true, `more than ${MAX_HOPS} redirects`);
      }
      hop = next;
    }
  }

  private admit(text: string): URL {
    const judged = this.lane === 'operator' ? new URL(text) : judgeUrl(text, this.settings.networks);
    if (judged instanceof URL) return judged;
    throw new EgressError(judged.reason, false, judged.text);
  }

  private async send(call: GuardedCall, url: URL, hop: Hop): Promise<Dispatcher.ResponseData> {
    if (call.signal.aborted) throw call.describe(call.signal.reason);
    const sending = call.watch(this.agent).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: hop.method,
      headers: hop.headers,
      body: hop.body ?? null,
      signal: call.signal,
    });
    // The request may be abandoned long before the connection opens; nobody needs the connection then.
    sending.catch(() => undefined);
    return call.race(sending);
  }

  private respond(call: GuardedCall, request: GuardedRequest, answer: Dispatcher.ResponseData): GuardedResponse {
    const headers = headersOf(answer.headers);
    const { maxBodyBytes } = request;
    if (maxBodyBytes === 'unread') return leave(call, answer, headers);
    try {
      const body = limitBody(answer.body, headers, {
        maxBodyBytes,
        describe: (cause) => call.describe(cause),
        finished: () => call.end(),
      });
      return {
        status: answer.statusCode,
        headers,
        body,
        readBody: async () => Buffer.concat((await body.toArray()) as Buffer[]),
        discard: () => void body.destroy(),
      };
    } catch (cause) {
      answer.body.destroy();
      throw cause;
    }
  }
}

/** An answer whose body nobody wants: neither its size nor its encoding can make it a failure. */
function leave(call: GuardedCall, answer: Dispatcher.ResponseData, headers: Headers): GuardedResponse {
  answer.body.destroy();
  call.end();
  const body = Readable.from([]);
  return {
    status: answer.statusCode,
    headers,
    body,
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    discard: () => void body.destroy(),
  };
}

/** What WHATWG makes of a host: numbers in every spelling become addresses. */
function hostOf(host: string): string {
  const text = `https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`;
  if (!URL.canParse(text)) throw new EgressError('url', false, 'malformed host');
  return new URL(text).hostname;
}

function ownHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'sandgate', 'accept-encoding': 'identity' };
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (lower === 'host' || lower === 'content-length') {
      throw new EgressError('request', false, `the header ${lower} is the client's own`);
    }
    headers[lower] = value;
  }
  return headers;
}

/** Repeated headers are joined by commas, as HTTP says. */
function headersOf(raw: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  return headers;
}
