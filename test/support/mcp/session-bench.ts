import type { Egress } from '../../../src/platform/egress/egress.js';
import type { McpOutcome } from '../../../src/platform/mcp/mcp-outcome.js';
import type { McpSession, McpSessionOptions } from '../../../src/platform/mcp/mcp-session.js';
import { freezeSession, loopbackEgress } from './broker-client.js';
import { HostileServer } from './hostile-server.js';

/** No reason to give a call up. */
export const never = new AbortController().signal;

/** The text that a tool answered. */
export const answered = (outcome: McpOutcome): string =>
  (outcome as unknown as { content: { text: string }[] }).content[0]!.text;

/** A brokered session with a server that is told how to answer; {@link renew} makes both anew. */
export class SessionBench {
  readonly egress: Egress = loopbackEgress();
  private ends: { server: HostileServer; session: McpSession } | null = null;

  async renew(): Promise<void> {
    const server = await HostileServer.start();
    const session = await freezeSession(this.egress, server.url, { requestTimeoutMs: 60_000 });
    server.arrivals.length = 0;
    this.ends = { server, session };
  }

  get server(): HostileServer {
    return this.started().server;
  }

  get session(): McpSession {
    return this.started().session;
  }

  /** Another session with the same server, frozen with what it offers right now. */
  async freeze(options: Parameters<typeof freezeSession>[2] & Partial<McpSessionOptions>): Promise<void> {
    this.ends = { server: this.server, session: await freezeSession(this.egress, this.server.url, options) };
  }

  call(text = '{"message":"hi"}', signal = never): Promise<McpOutcome> {
    return this.session.callTool('echo', text, signal);
  }

  private started(): { server: HostileServer; session: McpSession } {
    if (this.ends === null) throw new Error('the session was not started');
    return this.ends;
  }
}
