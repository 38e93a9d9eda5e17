// A form that starts a run with a narrowed task. People see pages and a field; the token stays here, and the trigger takes no task.
// Settings: SANDGATE_TRIGGER_URL, SANDGATE_TRIGGER_TOKEN, PAGES (a,b,c), PORT. Put it behind the sign-in of your organization.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { URLSearchParams } from 'node:url';

const { SANDGATE_TRIGGER_URL, SANDGATE_TRIGGER_TOKEN, PAGES = '', PORT = 8081 } = process.env;
const pages = PAGES.split(',').filter((page) => /^[a-z0-9-]{1,40}$/.test(page));
const MAX_WISH = 500;

function form() {
  const options = pages.map((page) => `<option>${page}</option>`).join('');
  // The key makes a form that is sent twice start one run.
  return `<!doctype html><meta charset="utf-8"><title>Docs</title><form method="post">
    <input type="hidden" name="key" value="${randomUUID()}"><select name="page">${options}</select>
    <input name="wish" maxlength="${MAX_WISH}" required> <button>Write it anew</button></form>`;
}

async function start(request) {
  if (request.headers['sec-fetch-site'] !== 'same-origin') return [403, 'The form of another site was sent.'];
  const sent = new URLSearchParams(await text(request));
  const [page, wish, key] = ['page', 'wish', 'key'].map((name) => sent.get(name) ?? '');
  if (!pages.includes(page) || wish === '' || wish.length > MAX_WISH || key.length !== 36)
    return [400, 'Choose a page and say what is missing.'];
  const headers = {
    authorization: `Bearer ${SANDGATE_TRIGGER_TOKEN}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const body = JSON.stringify({ context: { page, wish } });
  const answer = await fetch(`${SANDGATE_TRIGGER_URL}/invoke`, { method: 'POST', headers, body });
  if (answer.status === 409) return [409, 'It is being written already.'];
  if (!answer.ok) return [502, 'It could not be started.'];
  return [200, `Started as run ${(await answer.json()).session.id}.`];
}

createServer(async (request, response) => {
  const [status, page] = request.method === 'POST' ? await start(request) : [200, form()];
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}).listen(PORT, '127.0.0.1');
