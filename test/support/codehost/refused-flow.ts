import { expect } from '@jest/globals';
import { Sealer } from '../../../src/platform/seal/sealer.js';
import type { AppsBench } from './apps-bench.js';

/** A page that says no in words of ours, leads nowhere, and sets no cookie. */
export async function refusedFlow(answer: Response, text: RegExp): Promise<void> {
  const page = await answer.text();
  expect([answer.status, page]).toEqual([400, expect.stringMatching(text)]);
  expect(page).toContain('<h1>Connection failed</h1>');
  expect(page).not.toMatch(/canary|from-the-host/);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*form-action 'none'$/);
  expect(answer.headers.getSetCookie()).toEqual([]);
}

/** What is said of a link or a return that is none of ours, or not this browser's. */
export const GONE = /invalid, has expired, was already used, or was opened in another browser/;

/** What a token of a flow says. */
interface Ticket {
  step: string;
  flow: string;
  app: string;
  end: number;
}

/** Makes tokens that nobody hands out, of those that somebody did. */
export class Forger {
  constructor(private readonly apps: AppsBench) {}

  /** The same token with these members in place of its own. */
  async alter(token: string, members: Partial<Ticket>): Promise<string> {
    return this.seal({ ...(await this.read(token)), ...members }, 'codehost-app-flow');
  }

  /** The same token as if it had been sealed for connecting by OAuth. */
  async ofOtherPurpose(token: string): Promise<string> {
    return this.seal(await this.read(token), 'oauth-boot');
  }

  /** The same token for another registration. */
  async ofOtherRegistration(token: string): Promise<string> {
    return this.alter(token, { app: (await this.apps.startManifest()).registration.id });
  }

  expired(token: string): Promise<string> {
    return this.alter(token, { end: Date.now() - 1 });
  }

  private async read(token: string): Promise<Ticket> {
    const { app, organizationId } = this.apps.bench.api;
    const sealed = Buffer.from(token, 'base64url');
    const opened = await app.get(Sealer).openTransit(organizationId, 'codehost-app-flow', sealed);
    if (opened === null) throw new Error('this is no token of a flow');
    return JSON.parse(opened) as Ticket;
  }

  private async seal(ticket: Ticket, purpose: 'codehost-app-flow' | 'oauth-boot'): Promise<string> {
    const { app, organizationId } = this.apps.bench.api;
    return (await app.get(Sealer).sealTransit(organizationId, purpose, JSON.stringify(ticket))).toString('base64url');
  }
}

/** The same text, but for its end. */
export function bent(token: string): string {
  return `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`;
}
