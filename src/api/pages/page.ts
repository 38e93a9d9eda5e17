import { createHash } from 'node:crypto';

/** One answer for a person in a browser; every text of it is ours or escaped. */
export interface Page {
  status: number;
  title: string;
  /** Plain sentences, one a paragraph. */
  paragraphs: readonly string[];
  facts?: readonly (readonly [string, string])[];
  form?: PageForm;
  /** Where to go on, without sending anything. */
  link?: { href: string; text: string };
}

/** The one thing that a page can send. */
export interface PageForm {
  action: string;
  fields: Readonly<Record<string, string>>;
  /** What the person types. */
  inputs?: readonly PageInput[];
  /** The text of the one button, or what can be answered. */
  button: string | readonly PageButton[];
  /** Sources of `form-action`: where the form, and whatever it is redirected to, may lead. */
  targets: string;
}

export interface PageInput {
  name: string;
  label: string;
}

export interface PageButton {
  text: string;
  /** Sent when this one is pressed. */
  name?: string;
  value?: string;
  /** Can be pressed with nothing typed. */
  withoutInputs?: boolean;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 36rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .375rem 1rem; margin: 1.5rem 0; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
label { display: block; font-weight: 600; margin: 0 0 1rem; }
input { font: inherit; display: block; box-sizing: border-box; width: 100%; margin: .375rem 0 0; padding: .5rem .75rem; }
button { font: inherit; margin: 0 .75rem .75rem 0; font-weight: 600; padding: .625rem 1.25rem; border: 0; border-radius: .375rem; background: #1a56b0; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid; outline-offset: 3px; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
`;

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** Nothing loads, nothing runs, nobody frames it, and a form leads nowhere but to its targets. */
export function contentSecurityPolicy({ form }: Page): string {
  const action = form?.targets ?? `'none'`;
  return `default-src 'none'; style-src ${STYLE_HASH}; base-uri 'none'; frame-ancestors 'none'; form-action ${action}`;
}

export function renderPage({ title, paragraphs, facts, form, link }: Page): string {
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
${link === undefined ? '' : `<p><a href="${escape(link.href)}">${escape(link.text)}</a></p>`}
</main>
</body>
</html>
`;
}

function renderForm({ action, fields, inputs, button }: PageForm): string {
  const buttons = typeof button === 'string' ? [{ text: button }] : button;
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  const parts = [...hidden, ...(inputs ?? []).map(renderInput), ...buttons.map(renderButton)];
  return `<form method="post" action="${escape(action)}">${parts.join('')}</form>`;
}

function renderInput({ name, label }: PageInput): string {
  const off = 'autocomplete="off" autocapitalize="characters" spellcheck="false"';
  return `<label>${escape(label)}<input name="${escape(name)}" required ${off}></label>`;
}

function renderButton({ text, name, value, withoutInputs }: PageButton): string {
  const sent = name === undefined ? '' : ` name="${escape(name)}" value="${escape(value ?? '')}"`;
  const unchecked = withoutInputs === true ? ' formnovalidate' : '';
  return `<button type="submit"${sent}${unchecked}>${escape(text)}</button>`;
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
