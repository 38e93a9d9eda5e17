import type { SetupOutcome, SetupRefusal } from '../../core/codehost/install-app.js';
import type { AppRefusal, RegistrationForm, RegistrationOutcome } from '../../core/codehost/register-app.js';
import type { Page } from '../pages/page.js';

const FAILED = 'Connection failed';
const AGAIN = 'Go back to where you started and start again.';

/** The page from which a browser sends the manifest to the code host. @param hostOrigin of the code host's pages */
export function registrationPage(form: RegistrationForm, state: { hostOrigin: string }): Page {
  const host = new URL(state.hostOrigin).host;
  return {
    status: 200,
    title: 'Register an app at the code host',
    paragraphs: [
      `${host} will show you an app to register. With it Sandgate can read the repositories on which you install it, comment on pull requests and report checks there. It cannot push.`,
      form.manifest.default_events !== undefined
        ? 'The code host will also tell Sandgate of pull requests.'
        : 'The code host cannot reach this Sandgate, so the app will tell nothing of pull requests, and event triggers will not start.',
      'Go on only if you expected this; otherwise close this page.',
    ],
    facts: [
      ['Code host', host],
      ['Owner of the app', form.organization ?? 'your own account'],
      ['Name', form.manifest.name],
    ],
    form: {
      action: form.action,
      fields: { manifest: JSON.stringify(form.manifest) },
      button: `Continue to ${host}`,
      targets: state.hostOrigin,
    },
  };
}

const APP_REFUSALS: Record<AppRefusal, readonly [number, string, string]> = {
  no_sealing: [
    400,
    'This Sandgate has no sealing key, without which no secret of an app can be kept.',
    'Ask its operator to set one.',
  ],
  gone: [400, 'This link is invalid, has expired, was already used, or was opened in another browser.', AGAIN],
  no_cookie: [
    400,
    'This browser did not open the link, or it keeps no cookies.',
    'Open the link in the browser in which you are signed in at the code host, and finish there.',
  ],
  no_code: [400, 'The code host sent no code that could be used.', AGAIN],
  host_refused: [400, 'The code host does not know this code, or refuses it.', AGAIN],
  host_failed: [
    400,
    'The code host did not answer as it should.',
    'If it has registered an app by now, delete that app there. Then start again.',
  ],
  not_pending: [
    400,
    'This registration is finished or was revoked meanwhile.',
    'If the code host has registered a second app by now, delete that app there.',
  ],
};

export function appRefusalPage(refusal: AppRefusal): Page {
  const [status, ...paragraphs] = APP_REFUSALS[refusal];
  return { status, title: FAILED, paragraphs };
}

export function registeredPage(outcome: RegistrationOutcome): Page {
  if ('refusal' in outcome) return appRefusalPage(outcome.refusal);
  const { app, events, goUrl } = outcome;
  return {
    status: 200,
    title: 'App registered',
    paragraphs: [
      `${app.name} is registered, and its keys are sealed here.`,
      ...(events
        ? []
        : ['It has no webhook: repositories can be read and results published, but no event starts a run.']),
      'Next, install it on the repositories that runs may use.',
    ],
    facts: [
      ['App', app.name],
      ['Owner', app.ownerLogin],
      ['Webhooks', events ? 'yes' : 'no'],
    ],
    link: { href: goUrl, text: `Install ${app.name}` },
  };
}

const SETUP_REFUSALS: Record<Exclude<SetupRefusal, AppRefusal>, readonly [string, string]> = {
  foreign: ['This answer belongs to another app.', 'Nothing was connected.'],
  bad_installation: ['The code host named no installation.', AGAIN],
  unknown_installation: ['The code host knows no such installation of this app.', 'Nothing was connected.'],
  registration_inactive: ['The registration of this app was revoked.', 'Nothing was connected.'],
  revoked: ['The connection of this installation was revoked.', 'An administrator approves it to revive it.'],
  other_custody: [
    'This installation is connected already, by hand or through another app registration.',
    'Revoke that connection first.',
  ],
};

export function setupPage(outcome: SetupOutcome): Page {
  if ('guidance' in outcome) return GUIDANCE;
  if ('refusal' in outcome) {
    if (isOfApps(outcome.refusal)) return appRefusalPage(outcome.refusal);
    return { status: 400, title: FAILED, paragraphs: SETUP_REFUSALS[outcome.refusal] };
  }
  const { connection } = outcome;
  return {
    status: 200,
    title: 'Connected',
    paragraphs: [
      connection.status === 'suspended'
        ? `${connection.display_name} is connected, and suspended at the code host: it is of use once it is unsuspended there.`
        : `${connection.display_name} is connected.`,
      'You can close this page.',
    ],
    facts: [
      ['Connection', connection.display_name],
      ['Status', connection.status],
    ],
  };
}

/** For whoever comes from the pages of the code host, where an installation is changed or made without a flow of ours. */
const GUIDANCE: Page = {
  status: 200,
  title: 'Nothing was changed here',
  paragraphs: [
    'The code host sent you here, but this browser finishes no installation that was started from Sandgate.',
    'If you installed the app or chose other repositories, an administrator takes that over: sandgate codehost sync.',
  ],
};

function isOfApps(refusal: SetupRefusal): refusal is Exclude<SetupRefusal, keyof typeof SETUP_REFUSALS> {
  return refusal in APP_REFUSALS;
}
