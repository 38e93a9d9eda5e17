import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DeviceLogins } from '../../core/identity/device-logins.js';
import { nameMember, type NamedMember } from '../../core/identity/members.js';
import { findWebSession, useWebSession, type LiveSession } from '../../core/identity/web-sessions.js';
import { isSlug } from '../../core/organizations/organizations.js';
import { Database } from '../../core/record/database.js';
import { readCredentials } from '../auth/credentials.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { clientAddress } from '../http/client-address.js';
import type { Page } from '../pages/page.js';
import {
  answeredPage,
  codePage,
  CONFIRM_PATH,
  otherCodePage,
  questionPage,
  stalePage,
  unknownCodePage,
  type FormTicket,
} from './confirm-pages.js';

const USER_CODE = /^[A-Za-z-]{1,16}$/;

/** A person at the page: their browser session, and from where they look. */
export interface Visit {
  by: LiveSession;
  sessionToken: string;
  sourceIp: string;
  requestId: string;
}

/** What the form sends back, with what the person did. */
export interface ConfirmForm extends FormTicket {
  code: string;
  answer: string;
}

/** Shows who waits, and takes the answer of the person whose session it is (docs/design/identity.md#terminals). */
@Injectable()
export class ConfirmService {
  constructor(
    private readonly logins: DeviceLogins,
    private readonly database: Database,
    private readonly config: ApiConfig,
  ) {}

  private get windows(): { idleSecs: number } {
    return { idleSecs: this.config.auth.sessionIdleSecs };
  }

  /** Null without a live browser session. `use` counts this as one of the session. */
  async visitOf(request: FastifyRequest, use: boolean): Promise<Visit | null> {
    // Refuses a bearer beside the cookie; a bearer alone signs nobody in here.
    const { cookie: sessionToken } = readCredentials(request.headers);
    if (sessionToken === null) return null;
    const find = use ? useWebSession : findWebSession;
    const by = await find(this.database.pool, sessionToken, this.windows);
    return by && { by, sessionToken, sourceIp: clientAddress(request), requestId: request.id };
  }

  /** Where to sign in, and back here then. What is not well-formed is left out. */
  loginPath(userCode: string, org: string): string {
    const back = USER_CODE.test(userCode) ? `${CONFIRM_PATH}?user_code=${userCode}` : CONFIRM_PATH;
    const query = new URLSearchParams({ ...(isSlug(org) ? { org } : {}), redirect_to: back });
    return `/v1/auth/login?${query.toString()}`;
  }

  /** Who waits under the code of the address; without one, the question for it. */
  async show(visit: Visit, userCode: string): Promise<Page> {
    const person = await this.personOf(visit);
    if (userCode === '') return codePage(person, ticketFor(visit, '', false));
    const terminal = await this.find(visit, userCode);
    if (terminal === null) return unknownCodePage();
    return questionPage(person, terminal, ticketFor(visit, terminal.id, false));
  }

  async answer(visit: Visit, form: ConfirmForm): Promise<Page> {
    const typed = form.typed !== '';
    if (!sameText(form.token, ticketFor(visit, form.login, typed).token)) return stalePage();
    // Only now: a refused request must not count as a use of the session (CP-167).
    await useWebSession(this.database.pool, visit.sessionToken, this.windows);
    if (form.answer === 'deny' && form.login !== '') return this.decide(visit, form.login, false);
    if (form.answer === 'approve' && typed && form.login !== '') return this.decide(visit, form.login, true);
    const terminal = await this.find(visit, form.code);
    if (terminal === null) return unknownCodePage();
    if (form.answer === 'approve' && form.login !== '')
      return terminal.id === form.login ? this.decide(visit, form.login, true) : otherCodePage();
    return questionPage(await this.personOf(visit), terminal, ticketFor(visit, terminal.id, true));
  }

  private find({ by, sourceIp }: Visit, userCode: string): ReturnType<DeviceLogins['find']> {
    return this.logins.find(userCode, by.sessionId, sourceIp);
  }

  private async decide({ by, sourceIp, requestId }: Visit, login: string, approve: boolean): Promise<Page> {
    const actor = { kind: 'user', id: by.userId, sourceIp, requestId } as const;
    return (await this.logins.decide(login, approve, by, actor)) ? answeredPage(approve) : unknownCodePage();
  }

  private personOf({ by }: Visit): Promise<NamedMember> {
    return this.database.withTenant(by.organizationId, (tx) => nameMember(tx, by.userId));
  }
}

/**
 * A form of another site, of another session, or about another terminal lacks the token: it is keyed with the session's own, which
 * no page shows and the database does not hold.
 */
function ticketFor({ sessionToken }: Visit, login: string, wasTyped: boolean): FormTicket {
  const typed = wasTyped ? 'yes' : '';
  const token = createHmac('sha256', sessionToken).update(`device-confirm ${login} ${typed}`).digest('base64url');
  return { login, typed, token };
}

function sameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
