import { randomBytes } from 'node:crypto';
import type { LoginRefusal } from '../../core/identity/sign-in/finish-login.js';
import type { NamedMember } from '../../core/identity/members.js';
import type { BegunSwitch } from '../../core/identity/sign-in/login-switches.js';
import type { Page } from '../pages/page.js';

const FAILED = 'Sign-in failed';
const AGAIN = 'Go back to where you started and sign in again.';

/** Asks for the organization. @param redirectTo null where it leads to the start page, or nowhere */
export function organizationPage(asked: { org: string; redirectTo: string | null; overHttps: boolean }): Page {
  const { org, redirectTo, overHttps } = asked;
  return {
    status: 200,
    title: 'Sign in',
    paragraphs: ['You will sign in at the identity provider of your organization.'],
    form: {
      method: 'get',
      action: '/v1/auth/login',
      fields: redirectTo === null ? {} : { redirect_to: redirectTo },
      inputs: [
        {
          name: 'org',
          label: 'Organization',
          value: org,
          autocapitalize: 'none',
          ...(org === '' ? {} : { hint: 'Its short name: small letters, digits and hyphens.' }),
        },
      ],
      button: 'Continue',
      // Browsers hold the redirects after a form against this as well, and a provider may send people on to sign in anywhere.
      targets: overHttps ? `'self' https:` : `'self' https: http:`,
    },
  };
}

/** The one answer where nobody can sign in. It says nothing of the organization that was asked for, and is the same every time. */
export const NOT_CONFIGURED: Page = {
  status: 303,
  title: 'Sign-in is not possible',
  paragraphs: [
    'Sign-in is not configured for this organization.',
    'Check its name, or ask whoever operates this Sandgate.',
  ],
};

/** Where that answer leads. */
export const NOT_CONFIGURED_LOCATION = '/login?error=unavailable';

const SIGN_IN = { href: '/v1/auth/login', text: 'Sign in' };

/** What stands there: the same sentence, and how to go on. */
export const UNAVAILABLE: Page = { ...NOT_CONFIGURED, status: 200, link: SIGN_IN };

/** Where whoever came from nowhere arrives. @param member null for whoever is not signed in */
export function homePage(member: NamedMember | null): Page {
  if (member === null) return { status: 200, title: 'Sandgate', paragraphs: ['You are not signed in.'], link: SIGN_IN };
  return {
    status: 200,
    title: 'You are signed in',
    paragraphs: ['You can close this page, or let a terminal in: run sandgate login there.'],
    facts: [
      ['You are', member.person],
      ['Organization', member.organization],
    ],
    link: { href: '/v1/auth/device/confirm', text: 'Type the code of a terminal' },
  };
}

const REFUSALS: Record<Exclude<LoginRefusal, 'provider_error'>, readonly [string, string]> = {
  no_sealing: ['This Sandgate has no sealing key, without which nobody can sign in.', 'Ask its operator to set one.'],
  no_state: ['This sign-in is invalid or has expired.', AGAIN],
  other_browser: [
    'This browser did not begin the sign-in, or it keeps no cookies.',
    'Finish in the browser in which you began, or begin again here.',
  ],
  no_code: ['The answer of the identity provider holds no code.', AGAIN],
  gone: ['This sign-in has expired, was already used, or its identity provider was changed meanwhile.', AGAIN],
  not_active: ['The identity provider of your organization was changed meanwhile.', AGAIN],
  exchange_failed: [
    'The identity provider did not confirm the sign-in.',
    `${AGAIN} If this happens again, tell whoever operates this Sandgate.`,
  ],
  token_refused: [
    'What the identity provider sent does not prove who you are.',
    `${AGAIN} If this happens again, tell whoever operates this Sandgate.`,
  ],
  claims_refused: [
    'What the identity provider says about you cannot be read.',
    'Tell whoever operates the identity provider of your organization.',
  ],
  email_unverified: [
    'The identity provider does not say that your e-mail address is verified.',
    'Verify it there, then sign in again.',
  ],
  deactivated: ['Your account in this organization is not active.', 'Ask an administrator of your organization.'],
};

/** @param said the provider's own words, where it refused */
export function refusalPage(refusal: LoginRefusal, said: string | undefined): Page {
  const paragraphs =
    refusal === 'provider_error'
      ? [`The identity provider refused the sign-in: ${said ?? 'it did not say why'}.`, AGAIN]
      : REFUSALS[refusal];
  return { status: 400, title: FAILED, paragraphs };
}

/** Asks before somebody else's session is replaced. */
export function switchPage({ id, to }: BegunSwitch, from: NamedMember): Page {
  return {
    status: 200,
    title: 'Switch accounts?',
    paragraphs: [
      `This browser is signed in as ${from.person} of ${from.organization}. Go on to sign in as ${to.person} of ${to.organization} instead.`,
      'If you did not expect this, close this page: you stay signed in as you are.',
    ],
    facts: [
      ['Signed in', `${from.person} (${from.organization})`],
      ['New', `${to.person} (${to.organization})`],
    ],
    confirm: {
      action: `/v1/auth/switch/${id}`,
      headers: { 'x-service-csrf': '1' },
      button: `Switch to ${to.person}`,
      failed: 'The switch did not work. You stay signed in as you are.',
      nonce: randomBytes(16).toString('base64'),
    },
  };
}

export const SWITCH_REFUSED: Page = {
  status: 400,
  title: FAILED,
  paragraphs: [
    'The switch has expired, was already used, or is not possible any more. You stay signed in as you are.',
    AGAIN,
  ],
};
