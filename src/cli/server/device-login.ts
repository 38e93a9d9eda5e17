import { setTimeout as sleep } from 'node:timers/promises';
import { createSandgateClient, type Schemas } from '../../client/client.js';
import { inline } from '../terminal/escape.js';
import { CliError, EXIT, exitCodeOfStatus } from '../terminal/exit-codes.js';
import { asText } from './event-data.js';
import { fetchFrom } from './sandgate-client.js';

const REQUEST_TIMEOUT_MS = 30_000;
/** What a terminal adds to its interval when it is told to slow down (RFC 8628 §3.5). */
const SLOW_DOWN_SECS = 5;
const DEFAULT_INTERVAL_SECS = 5;
const MAX_INTERVAL_SECS = 60;

export type StartedLogin = Schemas['DeviceLogin'];
export type LoginToken = Schemas['DeviceToken'];

/** The terminal's part of RFC 8628, at one server. */
export class DeviceLoginClient {
  private readonly api: ReturnType<typeof createSandgateClient>;

  /** @param pause waits for so many milliseconds between two questions */
  constructor(
    readonly url: string,
    private readonly pause: (ms: number) => Promise<unknown> = sleep,
  ) {
    this.api = createSandgateClient({
      server: url,
      fetch: (request) => fetchFrom({ url }, request, AbortSignal.timeout(REQUEST_TIMEOUT_MS)),
    });
  }

  async start(body: Schemas['StartDeviceLogin']): Promise<StartedLogin> {
    const { data, error, response } = await this.api.POST('/v1/auth/device', { body });
    if (data === undefined) throw refused(response, error);
    return data;
  }

  /**
   * Asks, as often as the server allows, until somebody decided. A server that cannot be reached meanwhile is asked again.
   *
   * @throws CliError when the login was denied or nobody decided in time
   */
  async wait({ device_code, interval, expires_in }: StartedLogin): Promise<LoginToken> {
    const deadline = Date.now() + expires_in * 1000;
    for (let secs = boundedInterval(interval); Date.now() < deadline;) {
      await this.pause(secs * 1000);
      const answer = await this.ask(device_code);
      if (typeof answer === 'object') return answer;
      if (answer === 'slow_down') secs = Math.min(secs + SLOW_DOWN_SECS, MAX_INTERVAL_SECS);
    }
    throw new CliError('nobody confirmed the login in time; start again with sandgate login', EXIT.unauthorized);
  }

  /** Ends a token of this server (RFC 7009). */
  async revoke(token: string): Promise<void> {
    const { data, error, response } = await this.api.POST('/v1/auth/device/revoke', { body: { token } });
    if (data === undefined) throw refused(response, error);
  }

  private async ask(deviceCode: string): Promise<LoginToken | 'authorization_pending' | 'slow_down'> {
    try {
      const { data, error, response } = await this.api.POST('/v1/auth/device/token', {
        body: { device_code: deviceCode, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
      });
      if (data !== undefined) return data;
      const why = asText((error as { error?: unknown } | undefined)?.error);
      if (why === 'authorization_pending' || why === 'slow_down') return why;
      // A server that is busy or restarts says nothing about the login, nor does one that hears too much from this address.
      if (response.status >= 500 || response.status === 429) return 'slow_down';
      throw refused(response, error);
    } catch (failure) {
      if (failure instanceof CliError && failure.exitCode === EXIT.unreachable) return 'slow_down';
      throw failure;
    }
  }
}

/** The server decides how often it is asked, within reason; five seconds where it does not say (RFC 8628 §3.2). */
function boundedInterval(interval: number): number {
  return Math.min(Math.max(interval || DEFAULT_INTERVAL_SECS, 1), MAX_INTERVAL_SECS);
}

const WORDS: Readonly<Record<string, string>> = {
  access_denied: 'the login was denied',
  expired_token: 'nobody confirmed the login in time; start again with sandgate login',
  invalid_grant: 'the server does not know this login any more; start again with sandgate login',
};

function refused(response: Response, body: unknown): CliError {
  const said = asText((body as { error?: unknown } | undefined)?.error);
  const words = WORDS[said];
  if (words !== undefined) return new CliError(words, EXIT.unauthorized);
  const isNotThere = response.status === 404;
  const reason = isNotThere ? 'this server does not know how to sign in a terminal' : inline(said.slice(0, 1000));
  return new CliError(reason || `the server answered ${response.status}`, exitCodeOfStatus(response.status));
}
