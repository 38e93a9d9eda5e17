import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { LiveStack } from '../installation/live-stack.js';
import { StackDatabase } from '../installation/stack-database.js';

/** What an installation needs to reach servers of the test, which stand on loopback. */
export const LOOPBACK_UPSTREAMS = { SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };

/** Limits of outbound calls that no test should reach. */
export const NO_DIAL_LIMITS = {
  SERVICE_EGRESS_RATE_TENANT_PER_MIN: '0',
  SERVICE_EGRESS_RATE_CONNECTION_PER_MIN: '0',
  SERVICE_EGRESS_RATE_HOST_PER_MIN: '0',
  SERVICE_EGRESS_RATE_USER_PER_MIN: '0',
  SERVICE_EGRESS_BREAKER_THRESHOLD: '0',
};

/** Keeps the agent of a run busy for half an hour, so that a test can speak for it; one command may take two minutes. */
export const BUSY = Array.from({ length: 30 }, () => ({ tool: 'Bash', input: { command: 'sleep 60' } }));

/** One brokered tool of one server. */
export interface BrokeredSlot {
  slot: string;
  url: string;
  tools: string[];
}

/** Connects a server with a key; the installation takes a tool snapshot. @returns the connection's id */
export async function connectServer(stack: LiveStack, url: string, token = 'upstream-key'): Promise<string> {
  const { id } = await stack.json<{ id: string }>('POST', '/v1/connections', {
    provider: 'mcp_http',
    base_url: url,
    token,
  });
  return id;
}

/** A policy that allows every tool of MCP servers, and an agent whose runs may call these. */
export async function createBrokeredAgent(
  stack: LiveStack,
  name: string,
  slots: BrokeredSlot[],
  more: object = {},
): Promise<void> {
  const policy = `mcp-${randomUUID().slice(0, 8)}`;
  const content = {
    name: policy,
    defaults: { tool_action: 'approve' },
    tools: [{ match: ['mcp__*', 'Bash'], action: 'allow' }],
  };
  await stack.json('POST', '/v1/policies', { name: policy, yaml: JSON.stringify(content) });
  await stack.createReplayAgent(name, policy, {
    connection_requirements: slots.map(({ slot, url, tools }) => ({
      slot,
      connector: { url },
      required_tools: tools,
      binding_mode: 'organization',
    })),
    ...more,
  });
}

/** What the runner plane answered. */
export interface BrokeredAnswer {
  status: number;
  /** The body byte for byte. */
  text: string;
  body: {
    ok?: boolean;
    decision?: string;
    denied?: boolean;
    message?: string;
    error?: string;
    result?: { is_error: boolean };
  };
}

/** Speaks for the runner of a live run, with a token of its own: what a runner would send, at the moment that a test chooses. */
export class RunnerVoice {
  private constructor(
    private readonly stack: LiveStack,
    readonly runId: string,
    private readonly token: string,
  ) {}

  static async of(stack: LiveStack, runId: string): Promise<RunnerVoice> {
    const token = `svc_sess_${randomBytes(32).toString('hex')}`;
    await StackDatabase.of(stack).query(
      `insert into api_tokens (id, tenant_id, session_id, audience, token_sha256, expires_at)
       select gen_random_uuid(), tenant_id, id, 'tool', $2, now() + interval '1 hour' from sessions where id = $1`,
      [runId, hash('sha256', token, 'hex')],
    );
    return new RunnerVoice(stack, runId, token);
  }

  call(id: string, tool: string, input: unknown, signal?: AbortSignal): Promise<BrokeredAnswer> {
    return this.present({ tool_call_id: id, tool, input }, signal);
  }

  /** Asks the gate about a call of a tool inside the sandbox. */
  ask(id: string, tool: string, input: unknown): Promise<BrokeredAnswer> {
    return this.post('permission', { tool_call_id: id, tool, input });
  }

  present(body: object, signal?: AbortSignal): Promise<BrokeredAnswer> {
    return this.post('tools/call', body, signal);
  }

  private async post(path: string, body: object, signal?: AbortSignal): Promise<BrokeredAnswer> {
    const response = await fetch(`${this.stack.url}/internal/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) as BrokeredAnswer['body'] };
  }

  /** As runners do: the same id again after a lost connection or a server error, a bounded number of times. */
  async callUntilAnswered(id: string, tool: string, input: unknown, withinMs: number): Promise<BrokeredAnswer> {
    let last = 'nothing';
    const look = async (): Promise<BrokeredAnswer | undefined> => {
      const answer = await this.call(id, tool, input).catch((error: unknown) => void (last = String(error)));
      if (answer === undefined) return undefined;
      last = `${answer.status} ${answer.text}`;
      return answer.status >= 500 || isInFlight(answer) ? undefined : answer;
    };
    try {
      return await this.stack.until(`an answer to ${id}`, withinMs, look);
    } catch (error) {
      throw new Error(`${String(error)}; the last one was ${last}`, { cause: error });
    }
  }
}

function isInFlight({ body }: BrokeredAnswer): boolean {
  return body.error?.startsWith('execution in flight') === true;
}
