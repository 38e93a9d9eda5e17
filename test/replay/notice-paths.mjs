import { once } from 'node:events';
import { createServer } from 'node:http';

const ASKS = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];

/** Takes the webhooks of the recorded installation, after as many refusals as a path wants. */
export class NoticeReceiver {
  refusals = 0;
  #server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(this.refusals-- > 0 ? 500 : 204).end());
  });

  static async start() {
    const receiver = new NoticeReceiver();
    await once(receiver.#server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/hook`;
  }

  get environment() {
    return {
      SERVICE_APPROVAL_WEBHOOK_URL: this.url,
      SERVICE_APPROVAL_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      SERVICE_APPROVAL_WEBHOOK_WAITS_MS: '200,200,200,200,200',
    };
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Each plays one path of the workflow that tells people of a pending approval. */
export function noticePaths(receiver) {
  const play = async (stage, refusals, decideFirst) => {
    receiver.refusals = refusals;
    const id = await stage.start('actor', ASKS);
    const approval = await stage.approval(id);
    if (decideFirst) await stage.decide(approval, 'denied');
    const closed = await stage.closedWorkflow(`approval-notice-${approval.id}`);
    receiver.refusals = 0;
    if (!decideFirst) await stage.decide(approval, 'denied');
    await stage.until(id, 'completed');
    await stage.closed(id);
    return closed;
  };
  return {
    'notice-delivered': (stage) => play(stage, 0, false),
    'notice-retried': (stage) => play(stage, 2, false),
    'notice-failed': (stage) => play(stage, 6, false),
    'notice-overtaken': (stage) => play(stage, 1_000, true),
  };
}
