// Opens a pull request with the diff of a result. git pushes with a credential of its own, HOST_TOKEN is for the API.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { CALLBACK_SECRET, HOST_API, CLONE_URL, REPOSITORY, BASE = 'main', HOST_TOKEN, PORT = 8080 } = process.env;
const works = new Map(); // by delivery: one that comes again meanwhile waits for the first

async function openPullRequest({ run, artifacts }, cwd) {
  const diff = artifacts.find(({ kind }) => kind === 'diff')?.content;
  if (run.status !== 'completed' || !diff) return;
  const [title, head] = [`${run.agent_name}: ${run.id}`, `sandgate/${run.id}`];
  const git = (...argv) => promisify(execFile)('git', argv, { cwd });
  await mkdir(cwd);
  await git('clone', '--quiet', '--branch', BASE, CLONE_URL, '.');
  await writeFile(`${cwd}/.git/change.patch`, diff);
  await git('apply', '--3way', '--index', '.git/change.patch');
  await git('-c', 'user.name=bot', '-c', 'user.email=bot@localhost', 'commit', '--quiet', '-m', title);
  await git('push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${head}`);
  const headers = { authorization: `Bearer ${HOST_TOKEN}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ head, base: BASE, title, body: run.summary ?? '' });
  const { ok, status } = await fetch(`${HOST_API}/repos/${REPOSITORY}/pulls`, { method: 'POST', headers, body });
  if (!ok && status !== 409 && status !== 422) throw new Error(`the code host answered ${status}`); // else it is there
}

createServer(async (request, response) => {
  try {
    const { delivery_id: id, ...result } = new Webhook(CALLBACK_SECRET).verify(await buffer(request), request.headers);
    const end = () => rm(`result-${id}`, { recursive: true, force: true }).then(() => works.delete(id));
    const work = works.get(id) ?? openPullRequest(result, `result-${id}`).finally(end);
    await works.set(id, work).get(id);
    response.writeHead(204).end();
  } catch (error) {
    console.error(error.message);
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
}).listen(PORT, '127.0.0.1');
