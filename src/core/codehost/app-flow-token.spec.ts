import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Sealer } from '../../platform/seal/sealer.js';
import { openTicket, sealTicket } from '../oauth/go-token.js';
import { openFlowTicket, sealFlowTicket, type FlowStep, type FlowTicket } from './app-flow-token.js';

const DEPLOYMENT = '01900000-0000-7000-8000-000000000000';
const STEPS: FlowStep[] = ['boot', 'manifest', 'install'];
/** Under the legacy key the seal itself does not tell purposes apart. */
const legacy = new Sealer(null, randomBytes(32));

const ticket = (step: FlowStep, lifeMs = 60_000): FlowTicket => ({
  step,
  flowId: '01900000-0000-7000-8000-000000000001',
  registrationId: '01900000-0000-7000-8000-000000000002',
  expiresAtMs: Date.now() + lifeMs,
});
const open = (step: FlowStep, token: string) => openFlowTicket(legacy, DEPLOYMENT, step, token);

describe('a token of a flow', () => {
  it.each(STEPS)('for %s opens for that step and for no other', async (step) => {
    const sealed = ticket(step);
    const token = await sealFlowTicket(legacy, DEPLOYMENT, sealed);
    expect(token).toMatch(/^[\w-]{100,600}$/);
    for (const other of STEPS) expect(await open(other, token)).toEqual(other === step ? sealed : null);
  });

  it('opens until its end, unaltered, for whoever has the key', async () => {
    expect(await open('boot', await sealFlowTicket(legacy, DEPLOYMENT, ticket('boot', -1)))).toBeNull();
    const token = await sealFlowTicket(legacy, DEPLOYMENT, ticket('boot'));
    for (const altered of ['', 'a b', `${token}=`, token.slice(1), token.repeat(10), `B${token.slice(1)}`])
      if (altered !== token) expect(await open('boot', altered)).toBeNull();
    expect(await openFlowTicket(new Sealer(null, randomBytes(32)), DEPLOYMENT, 'boot', token)).toBeNull();
  });

  it('is none of connecting by OAuth, nor the other way round, also under the legacy key', async () => {
    const oauth = await sealTicket(legacy, DEPLOYMENT, {
      organizationId: DEPLOYMENT,
      flowId: ticket('boot').flowId,
      state: 'boot',
      browser: 'b',
      expiresAtMs: Date.now() + 60_000,
    });
    for (const step of STEPS) expect(await open(step, oauth)).toBeNull();
    const token = await sealFlowTicket(legacy, DEPLOYMENT, ticket('boot'));
    expect(await openTicket(legacy, DEPLOYMENT, token)).toBeNull();
    const foreign = (await legacy.sealTransit(DEPLOYMENT, 'login', 'no JSON')).toString('base64url');
    expect([await open('boot', foreign), await openTicket(legacy, DEPLOYMENT, foreign)]).toEqual([null, null]);
  });
});
