import { createHash } from 'node:crypto';

/** One answer for a person in a browser; every text of it is ours or escaped. */
export interface Page {
  status: number;
  title: string;
  /** Plain sentences, one a paragraph. */
  paragraphs: readonly string[];
  facts?: readonly (readonly [string, string])[];
  form?: PageForm;
  confirm?: PageConfirm;
  /** Where to go on, without sending anything. */
  link?: { href: string; text: string };
}

/** The one thing that a page can send. */
export interface PageForm {
  /** `post` where it is left out. */
  method?: 'get';
  action: string;
  fields: Readonly<Record<string, string>>;
  /** What the person fills in. */
  inputs?: readonly PageInput[];
  /** The text of the one button, or what can be answered. */
  button: string | readonly PageButton[];
  /** Sources of `form-action`: where the form, and whatever it is redirected to, may lead. */
  targets: string;
}

export interface PageInput {
  name: string;
  label: string;
  /** What stands there before; nothing where it is left out. */
  value?: string;
  hint?: string;
  /** How a keyboard of a phone writes it. */
  autocapitalize: 'none' | 'characters';
}

export interface PageButton {
  text: string;
  /** Sent when this one is pressed. */
  name?: string;
  value?: string;
  /** Can be pressed with nothing typed. */
  withoutInputs?: boolean;
}

/** A button whose request carries a header that no form can send; the browser goes where the answer leads. */
export interface PageConfirm {
  action: string;
  headers: Readonly<Record<string, string>>;
  button: string;
  /** Said where the answer does not say why it failed. */
  failed: string;
  /** Of the page's one script; new for every answer. */
  nonce: string;
}

/** The script of every such button: what varies stands in the page's elements. */
const CONFIRM_SCRIPT = `
const button = document.getElementById('confirm');
const outcome = document.getElementById('outcome');
button.addEventListener('click', async () => {
  button.disabled = true;
  try {
    const headers = { accept: 'application/json', ...JSON.parse(button.dataset.headers) };
    const answer = await fetch(button.dataset.action, { method: 'POST', headers });
    if (answer.redirected) return void location.replace(answer.url);
    outcome.textContent = (await answer.json()).error;
  } catch {
    outcome.textContent = button.dataset.failed;
  }
});
`;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 36rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .375rem 1rem; margin: 1.5rem 0; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
label { display: block; font-weight: 600; margin-bottom: .375rem; }
input { font: inherit; padding: .5rem .75rem; width: 100%; box-sizing: border-box; margin-bottom: 1rem; }
.hint { margin-top: -.5rem; font-size: .9375rem; }
button { font: inherit; margin: 0 .75rem .75rem 0; font-weight: 600; padding: .625rem 1.25rem; border: 0; border-radius: .375rem; background: #1a56b0; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid; outline-offset: 3px; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
`;

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** Nothing loads, nothing runs but the script of a button, nobody frames it, and a form leads nowhere but to its targets. */
export function contentSecurityPolicy({ form, confirm }: Page): string {
  const action = form?.targets ?? `'none'`;
  const script = confirm === undefined ? '' : `; script-src 'nonce-${confirm.nonce}'; connect-src 'self'`;
  return `default-src 'none'; style-src ${STYLE_HASH}${script}; base-uri 'none'; frame-ancestors 'none'; form-action ${action}`;
}

export function renderPage({ title, paragraphs, facts, form, confirm, link }: Page): string {
  const list = (facts ?? []).map(([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · Sandgate</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
${paragraphs.map((text) => `<p>${escape(text)}</p>`).join('\n')}
${list.length === 0 ? '' : `<dl>${list.join('')}</dl>`}
${form === undefined ? '' : renderForm(form)}
${confirm === undefined ? '' : renderConfirm(confirm)}
${link === undefined ? '' : `<p><a href="${escape(link.href)}">${escape(link.text)}</a></p>`}
</main>
</body>
</html>
`;
}

function renderForm({ method, action, fields, inputs, button }: PageForm): string {
  const buttons = typeof button === 'string' ? [{ text: button }] : button;
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  const parts = [...hidden, ...(inputs ?? []).map(renderInput), ...buttons.map(renderButton)];
  return `<form method="${method ?? 'post'}" action="${escape(action)}">${parts.join('')}</form>`;
}

function renderInput({ name, label, value, hint, autocapitalize }: PageInput): string {
  const id = `field-${escape(name)}`;
  const described = hint === undefined ? '' : ` aria-describedby="${id}-hint"`;
  const typing = `autocomplete="off" autocapitalize="${autocapitalize}" spellcheck="false" required`;
  const field = `<input id="${id}" name="${escape(name)}" value="${escape(value ?? '')}" ${typing}${described}>`;
  const said = hint === undefined ? '' : `<p id="${id}-hint" class="hint">${escape(hint)}</p>`;
  return `<label for="${id}">${escape(label)}</label>${field}${said}`;
}

function renderButton({ text, name, value, withoutInputs }: PageButton): string {
  const sent = name === undefined ? '' : ` name="${escape(name)}" value="${escape(value ?? '')}"`;
  const unchecked = withoutInputs === true ? ' formnovalidate' : '';
  return `<button type="submit"${sent}${unchecked}>${escape(text)}</button>`;
}

function renderConfirm({ action, headers, button, failed, nonce }: PageConfirm): string {
  const data = `data-action="${escape(action)}" data-headers="${escape(JSON.stringify(headers))}" data-failed="${escape(failed)}"`;
  return `<p><button type="button" id="confirm" ${data}>${escape(button)}</button></p>
<p id="outcome" role="status"></p>
<noscript><p>This page needs JavaScript to go on.</p></noscript>
<script nonce="${escape(nonce)}">${CONFIRM_SCRIPT}</script>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
