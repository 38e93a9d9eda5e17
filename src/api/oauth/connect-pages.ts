import type { CallbackOutcome, CallbackRefusal } from '../../core/oauth/connect-callback.js';
import type { ConnectQuestion, GoRefusal } from '../../core/oauth/go-page.js';
import type { Page } from '../pages/page.js';

const FAILED = 'Connection failed';
const NOTHING = 'Nothing was connected.';
const AGAIN = 'Go back to where you started and start the connect flow again.';

/** The question before a person leaves for the authorization server (docs/design/oauth.md). */
export function questionPage(question: ConnectQuestion, token: string): Page {
  const { organization, connection, personal, serverHost, issuerHost, requester, scopes } = question;
  const beneficiary = personal ? `runs of ${requester ?? 'its owner'}` : `runs of ${organization}`;
  return {
    status: 200,
    title: `Connect ${connection}`,
    paragraphs: [
      `You will sign in at ${issuerHost}. After that, ${beneficiary} can act at ${serverHost} with the rights of the account that you sign in with, within the policies of ${organization}.`,
      'Go on only if you expected this. If somebody sent you this link, ask them first; otherwise close this page.',
    ],
    facts: [
      ['Organization', organization],
      ['Connection', connection],
      ['Server', serverHost],
      ['Sign-in at', issuerHost],
      ['Asked for by', requester ?? 'the operator of this Sandgate'],
      ...(scopes.length === 0 ? [] : [['Access asked for', scopes.join(', ')] as const]),
    ],
    form: {
      action: 'go',
      fields: { f: token },
      button: `Continue to ${issuerHost}`,
      targets: targetsOf(question.authorizationOrigin),
    },
  };
}

/**
 * Browsers hold the redirects after a form against `form-action` as well, and an authorization server may send people on to sign in
 * anywhere. So any https address is allowed, and plain http only on the origin of a server that has no https.
 */
function targetsOf(authorizationOrigin: string): string {
  return `'self' https:${authorizationOrigin.startsWith('http:') ? ` ${authorizationOrigin}` : ''}`;
}

const GO: Record<GoRefusal, readonly [number, string, string]> = {
  gone: [400, 'This link is invalid, has expired or was already used.', AGAIN],
  connection_gone: [400, 'The connection no longer exists or was revoked.', NOTHING],
  requester_gone: [400, 'Whoever asked for this connection may no longer change it.', NOTHING],
  other_person: [
    403,
    'Somebody else asked for this connection, and only they can make it.',
    'If that is you, sign out, sign in as the person who asked, and open the link again.',
  ],
  cannot_connect: [
    400,
    'This Sandgate is reached over plain http, over which browsers keep no secure cookie, so nothing can be connected here.',
    'Ask its operator to set SERVICE_PUBLIC_URL to an https address.',
  ],
  no_sealing: [
    400,
    'This Sandgate has no sealing key, without which no credential can be kept.',
    'Ask its operator to set one.',
  ],
  not_confirmed: [
    403,
    'This page was not opened in this browser before, or the browser keeps no cookies.',
    'Open the link again, allow cookies for this site, and continue from there.',
  ],
  other_browser: [400, 'This link was already used in another browser.', AGAIN],
};

export function goRefusalPage(refusal: GoRefusal): Page {
  const [status, ...paragraphs] = GO[refusal];
  return { status, title: FAILED, paragraphs };
}

const CALLBACK: Record<CallbackRefusal, readonly [number, string, string]> = {
  no_sealing: GO.no_sealing,
  cannot_connect: GO.cannot_connect,
  no_cookie: [
    400,
    'This browser did not start the connect flow, or it keeps no cookies.',
    'Open the link in the browser in which you want to sign in, and finish there.',
  ],
  no_state: [400, 'The answer of the authorization server lacks its state.', AGAIN],
  other_browser: [403, 'This connect flow was not started by this browser.', NOTHING],
  gone: [400, 'This connect flow is invalid, has expired or was already used.', AGAIN],
  other_issuer: [
    400,
    'The answer did not come from the authorization server that was asked, so it was not used.',
    `${NOTHING} If this happens again, tell whoever operates this Sandgate: one of the two servers may be trying to get at access that was meant for the other.`,
  ],
  denied: [
    400,
    'The authorization server did not grant access: it was declined, or is not possible.',
    `${NOTHING} ${AGAIN}`,
  ],
  connection_gone: GO.connection_gone,
  requester_gone: GO.requester_gone,
  other_person: [403, 'Somebody else asked for this connection, and only they can make it.', NOTHING],
  signed_out: [
    403,
    'You are not signed in any more, so nobody can tell whether you asked for this.',
    `${NOTHING} ${AGAIN}`,
  ],
  superseded: [
    400,
    'This authorization was superseded by a newer one; restart the connect flow if you still need to.',
    'The newer authorization stays as it is.',
  ],
  no_code: [400, 'The answer of the authorization server holds no code.', AGAIN],
  exchange_failed: [400, 'The authorization server did not give a token.', AGAIN],
  client_unknown: [
    400,
    'The authorization server does not accept this Sandgate as its client.',
    `${AGAIN} It is registered anew then. Where the client was registered by hand, check its id and secret first.`,
  ],
  no_refresh_token: [
    400,
    'The authorization server gave no refresh token, so access would end within the hour.',
    'Allow offline access there, or ask for the scope that grants it.',
  ],
  snapshot_failed: [
    400,
    'Access was granted, but the tools of the server could not be read.',
    'The connection is marked as failed. Check the server and connect it again.',
  ],
};

export function callbackPage(outcome: CallbackOutcome): Page {
  if (!outcome.connected) {
    const [status, ...paragraphs] = CALLBACK[outcome.refusal];
    return { status, title: FAILED, paragraphs };
  }
  const { tools, version } = outcome.snapshot;
  return {
    status: 200,
    title: 'Connected',
    paragraphs: [
      `${outcome.displayName} is connected; snapshotted ${tools} tool(s) (v${version}).`,
      'You can close this page.',
    ],
  };
}
