import type { WaitingTerminal } from '../../core/identity/device-logins.js';
import type { NamedMember } from '../../core/identity/members.js';
import type { Page, PageForm } from '../pages/page.js';

/** Where a person confirms a terminal (docs/design/identity.md#terminals). */
export const CONFIRM_PATH = '/v1/auth/device/confirm';

const CODE_INPUT = { name: 'code', label: 'Code of your terminal', autocapitalize: 'characters' } as const;
const AGAIN = { href: CONFIRM_PATH, text: 'Type a code' };
const TITLE = 'Sign in a terminal';

/** What a form of these pages carries: which login, whether its code was typed before, and the proof that this session was shown it. */
export interface FormTicket {
  login: string;
  typed: string;
  token: string;
}

/** Asks for the code that the terminal shows. */
export function codePage(person: NamedMember, ticket: FormTicket): Page {
  return {
    status: 200,
    title: TITLE,
    paragraphs: [
      'A terminal that waits shows a code of eight letters. Type it here if you started that terminal yourself.',
    ],
    facts: peopleFacts(person),
    form: { ...formOf(ticket), inputs: [CODE_INPUT], button: [{ name: 'answer', value: 'look', text: 'Continue' }] },
  };
}

/** Asks whether the terminal may act as this person; for the code too, unless it was typed before. */
export function questionPage(person: NamedMember, terminal: WaitingTerminal, ticket: FormTicket): Page {
  const typed = ticket.typed !== '';
  return {
    status: 200,
    title: 'Let this terminal in?',
    paragraphs: [
      'It would do in your name whatever you may do, until its token ends or you revoke it.',
      'Approve only if you started it just now. If somebody sent you the code or this address, deny: they would act as you.',
    ],
    facts: [
      ['It calls itself', terminal.clientName],
      ['Asks from', terminal.sourceIp],
      ['Asked', ageOf(terminal.ageSecs)],
      ...peopleFacts(person),
    ],
    form: {
      ...formOf(ticket),
      inputs: typed ? [] : [CODE_INPUT],
      button: [
        { name: 'answer', value: 'approve', text: 'Approve' },
        { name: 'answer', value: 'deny', text: 'Deny', withoutInputs: true },
      ],
    },
  };
}

export function answeredPage(approved: boolean): Page {
  return approved
    ? { status: 200, title: 'Approved', paragraphs: ['Your terminal goes on by itself. You can close this page.'] }
    : { status: 200, title: 'Denied', paragraphs: ['The terminal gets nothing. You can close this page.'] };
}

/** A code that fits no terminal that waits; which of the reasons it is, is not told. */
export function unknownCodePage(): Page {
  return {
    status: 400,
    title: 'No terminal waits with this code',
    paragraphs: ['It was mistyped, was answered before, or is older than ten minutes.'],
    link: AGAIN,
  };
}

/** The code that was typed is not that of the terminal that the page showed. */
export function otherCodePage(): Page {
  return {
    status: 400,
    title: 'This is another code',
    paragraphs: ['What you typed is not the code of the terminal that was shown, so nothing was approved.'],
    link: AGAIN,
  };
}

export function stalePage(): Page {
  return {
    status: 403,
    title: TITLE,
    paragraphs: ['This page was not shown in this browser session, or you signed in anew since. Nothing was approved.'],
    link: AGAIN,
  };
}

export function signedOutPage(loginPath: string): Page {
  return {
    status: 401,
    title: TITLE,
    paragraphs: ['You are not signed in any more. Nothing was approved.'],
    link: { href: loginPath, text: 'Sign in' },
  };
}

function peopleFacts({ person, organization }: NamedMember): [string, string][] {
  return [
    ['You are', person],
    ['Organization', organization],
  ];
}

function formOf({ login, typed, token }: FormTicket): Pick<PageForm, 'action' | 'fields' | 'targets'> {
  return { action: CONFIRM_PATH, fields: { login, typed, token }, targets: `'self'` };
}

function ageOf(secs: number): string {
  if (secs < 60) return 'less than a minute ago';
  const minutes = Math.floor(secs / 60);
  return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
}
