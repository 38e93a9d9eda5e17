import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { hasPython, providePython } from '../../../../test/support/mcp/python-environment.js';
import { newWebhookSecret, signWebhook } from '../../../src/domain/webhooks/webhook-signature.js';

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const PINS = fileAt('../../../../test/support/deliveries/standard-webhooks.requirements.txt');
const PROGRAM = fileAt('../../support/webhooks/verify_requests.py');

describe('receivers in Python', () => {
  (hasPython() ? it : it.skip)(
    'DI-023 the library of Standard Webhooks takes what we sign, with either secret, and refuses what is off',
    async () => {
      const [old, next] = [newWebhookSecret(), newWebhookSecret()];
      const body = JSON.stringify({ id: 'e1', type: 'document.ready', data: { name: 'Übergröße' } });
      const now = new Date();
      const late = new Date(now.getTime() - 301_000);
      const both = signWebhook([next, old], 'e1', now, body);
      const requests = [
        { secret: next, body, headers: both },
        { secret: old, body, headers: both },
        { secret: newWebhookSecret(), body, headers: both },
        { secret: next, body: `${body} `, headers: both },
        { secret: next, body, headers: signWebhook([next], 'e1', late, body) },
      ];
      const program = spawn(await providePython(PINS), [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
      program.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
      const [said] = await Promise.all([text(program.stdout), once(program, 'close')]);
      const verdicts = said
        .trim()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line) as object)[0]);
      expect(verdicts).toEqual(['type', 'type', 'refused', 'refused', 'refused']);
    },
  );
});
