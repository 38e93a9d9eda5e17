import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { RequestValidationPipe } from '../http/validation.pipe.js';
import { validated } from '../http/validated.js';
import { DecideApproval } from './decision.dto.js';

/** What the route makes of a body. */
async function decisionOf(body: unknown): Promise<string> {
  const sent: unknown = await new RequestValidationPipe().transform(body, { type: 'body', metatype: DecideApproval });
  return validated(DecideApproval, sent as DecideApproval, 'decision').decision;
}

describe('the body of a decision', () => {
  it('CP-201 reads the three words and their older names', async () => {
    for (const decision of ['approved_once', 'approve', 'allow'])
      expect(await decisionOf({ decision })).toBe('approved_once');
    expect(await decisionOf({ decision: 'approved_session' })).toBe('approved_session');
    for (const decision of ['denied', 'deny']) expect(await decisionOf({ decision })).toBe('denied');
  });

  it('CP-202 refuses everything else', async () => {
    for (const body of [
      undefined,
      null,
      [],
      'denied',
      {},
      { decision: null },
      { decision: 'expired' },
      { decision: ['denied'] },
    ]) {
      await expect(decisionOf(body)).rejects.toThrow(/^(body|decision): must be /);
    }
  });
});
