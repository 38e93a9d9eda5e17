import { describe, expect, it } from '@jest/globals';
import { ROLES } from '../../domain/identity/role.js';
import { PERMISSIONS, type PermissionName } from './permission.decorator.js';
import { OPERATOR_PERMISSIONS, permissionsOf } from './role-permissions.js';

/** Those who hold each permission: `m`ember, `a`pprover, admin (`A`), owner (`O`) and the `o`perator. */
const HOLDERS: Record<PermissionName, string> = {
  'account.read': 'maAOo',
  'agents.read': 'maAOo',
  'agents.write': 'AOo',
  'approvals.decide': 'maAOo',
  'approvals.read': 'maAOo',
  'audit.export': 'maAOo',
  'capabilities.read': 'maAOo',
  'capabilities.write': 'AOo',
  'catalog.read': 'maAOo',
  'catalog.write': 'AOo',
  'codehost.read': 'maAOo',
  'codehost.write': 'AOo',
  'connections.read': 'maAOo',
  'connections.write': 'maAOo',
  'deliveries.resend': 'AOo',
  'harnesses.read': 'maAOo',
  'org.manage': 'AOo',
  'org.read': 'maAOo',
  'policies.read': 'maAOo',
  'policies.write': 'AOo',
  'sessions.cancel': 'maAOo',
  'sessions.create': 'maAOo',
  'sessions.read': 'maAOo',
  'tokens.read': 'maAO',
  'tokens.write': 'maAO',
  'triggers.read': 'maAOo',
  'triggers.write': 'AOo',
};

const LETTERS = { member: 'm', approver: 'a', admin: 'A', owner: 'O' } as const;

describe('what a role may', () => {
  it.each(PERMISSIONS)('CP-302 %s is held by those who should, and by nobody else', (permission) => {
    const people = ROLES.filter((role) => permissionsOf([role]).has(permission)).map((role) => LETTERS[role]);
    expect(people.join('') + (OPERATOR_PERMISSIONS.has(permission) ? 'o' : '')).toBe(HOLDERS[permission]);
  });

  it('CP-302 is the union of what each of several roles may', () => {
    expect(permissionsOf(['member', 'admin'])).toEqual(permissionsOf(['admin']));
    expect(permissionsOf(['owner', 'member'])).toEqual(permissionsOf(['owner']));
    expect(permissionsOf([]).size).toBe(0);
  });
});
