import { startApi, type Answer, type TestApi } from '../api/api.js';
import { signIn, type TestBrowser, type TestUser } from '../api/users.js';

const CONFIRM = '/v1/auth/device/confirm';

/** What a terminal that begins to sign in is told. */
export interface Started {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** A page as a browser has it: what its form would send. */
export interface ShownPage {
  status: number;
  html: string;
  fields: Record<string, string>;
}

/** Terminals and people's browsers at one API. Each terminal has an address of its own, so that none uses up the tries of another. */
export class DeviceBench {
  private addresses = 0;

  private constructor(readonly api: TestApi) {}

  /** @param env settings of the API besides */
  static async start(env: Record<string, string> = {}): Promise<DeviceBench> {
    return new DeviceBench(await startApi({ SERVICE_TRUST_FORWARDED_FOR: '1', ...env }));
  }

  close(): Promise<void> {
    return this.api.close();
  }

  freshAddress(): string {
    this.addresses += 1;
    return `192.0.2.${this.addresses}`;
  }

  /** The answer to a beginning. */
  begin(body: object = {}, address = this.freshAddress()): Promise<Answer> {
    return this.api.post('/v1/auth/device', body, { token: null, headers: { 'x-forwarded-for': address } });
  }

  async started(body: object = {}, address?: string): Promise<Started> {
    const answer = await this.begin(body, address);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.body as unknown as Started;
  }

  /** What the terminal hears at once, however long its interval is. */
  async poll({ device_code }: Pick<Started, 'device_code'>, address = '198.51.100.7'): Promise<Answer> {
    await this.api.database.owner.query(
      `update device_logins set last_polled_at = last_polled_at - interval '2 minutes' where status <> 'consumed'`,
    );
    return this.pollNow(device_code, address);
  }

  pollNow(deviceCode: string, address = '198.51.100.7'): Promise<Answer> {
    const body = { device_code: deviceCode, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' };
    return this.api.post('/v1/auth/device/token', body, { token: null, headers: { 'x-forwarded-for': address } });
  }

  async person(): Promise<Browser> {
    const user = await this.api.addUser('member');
    return new Browser(this, { ...user, ...(await signIn(this.api.db, user)) });
  }

  /** Moves the end of a login, or of all, into the past. */
  async expire(): Promise<void> {
    await this.api.database.owner.query(
      `update device_logins set expires_at = clock_timestamp() - interval '1 second'`,
    );
  }

  /** The live tokens that terminals got for a person, besides the one that every person of a test has. */
  async tokensOf({ userId }: Pick<TestUser, 'userId'>): Promise<{ id: string; name: string; token_sha256: string }[]> {
    const { rows } = await this.api.database.owner.query<{ id: string; name: string; token_sha256: string }>(
      `select id, name, token_sha256 from api_tokens where user_id = $1 and kind = 'pat' and revoked_at is null and name <> 'of a test'`,
      [userId],
    );
    return rows;
  }

  /** What the log of privileged steps says of a person, oldest first. */
  async auditOf({
    userId,
  }: Pick<TestUser, 'userId'>): Promise<
    { action: string; success: boolean; source_ip: string | null; request_id: string | null }[]
  > {
    const { rows } = await this.api.database.owner.query<{
      action: string;
      success: boolean;
      source_ip: string | null;
      request_id: string | null;
    }>('select action, success, source_ip, request_id from auth_audit_log where actor_id = $1 order by id', [userId]);
    return rows;
  }
}

/** The browser of a person who is signed in. */
export class Browser {
  constructor(
    private readonly bench: DeviceBench,
    readonly who: TestUser & TestBrowser,
    readonly address = bench.freshAddress(),
  ) {}

  async open(query = ''): Promise<ShownPage> {
    return shown(await this.bench.api.get(`${CONFIRM}${query}`, { token: null, headers: this.headers() }));
  }

  /** Presses a button of a page, with what was typed. */
  async press(page: ShownPage, answer: string, code = '', headers: Record<string, string> = {}): Promise<ShownPage> {
    const raw = new URLSearchParams({ ...page.fields, code, answer }).toString();
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    const all = { ...form, ...this.headers(), ...headers };
    return shown(await this.bench.api.post(CONFIRM, undefined, { token: null, raw, headers: all }));
  }

  /** The whole way: the code is typed, the terminal is looked at, and the answer is given. */
  async answer(userCode: string, answer: 'approve' | 'deny'): Promise<ShownPage> {
    const question = await this.press(await this.open(), 'look', userCode);
    return this.press(question, answer);
  }

  private headers(): Record<string, string> {
    return { cookie: this.who.cookie, accept: 'text/html', 'x-forwarded-for': this.address };
  }
}

function shown({ status, text }: Answer): ShownPage {
  const hidden = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name, value] as const));
  return { status, html: text, fields: fields as Record<string, string> };
}
