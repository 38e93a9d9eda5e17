import { describe, expect, it } from '@jest/globals';
import { authorityOfCall, decisionProblem, type CallAuthority, type ConnectionOwner } from './decision-authority.js';

const ORGANIZATION: ConnectionOwner = { type: 'organization', userId: null };
const of = (userId: string): ConnectionOwner => ({ type: 'user', userId });
const call = (frozen: ConnectionOwner | null, live: ConnectionOwner | null): CallAuthority =>
  authorityOfCall({ isGrant: false, isMcp: true, isBrokered: true, frozen, current: live });
const operator = { userId: null, forOrganization: true };
const member = (userId: string) => ({ userId, forOrganization: false });
const admin = (userId: string) => ({ userId, forOrganization: true });

describe('the authority of a call', () => {
  it('is nobody’s for built-in tools, and the organization’s for tools of the sandbox', () => {
    const unbound = { isGrant: false, isBrokered: false, frozen: null, current: null };
    expect(authorityOfCall({ isMcp: false, ...unbound })).toEqual({ kind: 'credentialless' });
    expect(authorityOfCall({ isMcp: true, ...unbound })).toEqual({ kind: 'organization' });
  });

  it('CP-203 is personal as soon as either the frozen or the live owner is a person', () => {
    expect(call(ORGANIZATION, ORGANIZATION)).toEqual({ kind: 'organization' });
    expect(call(of('ada'), of('ada'))).toEqual({ kind: 'personal', owners: ['ada', 'ada'] });
    expect(call(of('ada'), ORGANIZATION)).toEqual({ kind: 'personal', owners: ['ada'] });
    expect(call(ORGANIZATION, of('ada'))).toEqual({ kind: 'personal', owners: ['ada'] });
  });

  it('cannot be told once binding or connection are gone', () => {
    expect([call(null, ORGANIZATION), call(of('ada'), null)]).toEqual([{ kind: 'unbound' }, { kind: 'unbound' }]);
  });
});

describe('the authority of a network grant', () => {
  const grant = authorityOfCall({ isGrant: true, isMcp: false, isBrokered: false, frozen: null, current: null });

  it('is the organization’s, and nobody gives it to themselves', () => {
    expect(grant).toEqual({ kind: 'grant' });
    for (const decider of [admin('bob'), operator]) expect(decisionProblem(grant, decider, 'ada')).toBeNull();
    expect(decisionProblem(grant, operator, null)).toBeNull();
    for (const decider of [admin('ada'), member('ada'), member('bob')])
      expect(decisionProblem(grant, decider, 'ada')).toContain('who did not start the run');
  });
});

describe('who decides', () => {
  const personal = call(of('ada'), of('ada'));

  it('CP-203 CP-204 a personal call: its owner on an own run, whatever role others have', () => {
    expect(decisionProblem(personal, member('ada'), 'ada')).toBeNull();
    for (const [decider, invoker] of [
      [member('ada'), 'bob'],
      [admin('ada'), null],
      [admin('bob'), 'ada'],
      [admin('bob'), 'bob'],
      [operator, 'ada'],
      [operator, null],
    ] as const)
      expect(decisionProblem(personal, decider, invoker)).toContain('personal connection');
  });

  it('nobody, when two people would be its owner, or when its binding is gone', () => {
    const disputed = call(of('ada'), of('bob'));
    for (const decider of [member('ada'), admin('bob'), operator])
      for (const authority of [disputed, call(null, null)])
        expect(decisionProblem(authority, decider, decider.userId)).not.toBeNull();
  });

  it('a call of the organization: a role; any other: the starter of the run too', () => {
    const shared = call(ORGANIZATION, ORGANIZATION);
    expect(decisionProblem(shared, operator, null)).toBeNull();
    expect(decisionProblem(shared, admin('bob'), 'ada')).toBeNull();
    expect(decisionProblem(shared, member('ada'), 'ada')).toContain("the organization's authority");
    expect(decisionProblem({ kind: 'credentialless' }, member('ada'), 'ada')).toBeNull();
    expect(decisionProblem({ kind: 'credentialless' }, member('ada'), null)).toContain('somebody else started');
    expect(decisionProblem({ kind: 'credentialless' }, operator, null)).toBeNull();
  });
});
