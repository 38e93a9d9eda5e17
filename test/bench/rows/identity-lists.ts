import { BenchStack } from '../bench-stack.js';
import { populate, type Population } from '../identity-population.js';
import { closedLoop, type LoopResult } from '../load/closed-loop.js';
import { exchangeLoop } from '../load/exchange-loop.js';
import { getRequest } from '../load/http-connection.js';
import { atMost } from '../row.js';
import type { AloneRow } from './bench-row.js';

/** People who manage an organization, and the operator: few at once, twice as many as there are cores. */
const CALLERS = 4;
const FULL = { members: 10_000, organizations: 200, membersElsewhere: 20 };
const QUICK = { members: 500, organizations: 3, membersElsewhere: 20 };
const LIMIT_MS = 100;

/** Lists of a large deployment: first pages, pages from the middle, and those that a filter leaves nearly empty. */
export const identityLists: AloneRow = {
  name: 'identity-lists',
  timeoutMs: 240_000,
  async measureAlone({ quick }) {
    const size = quick ? QUICK : FULL;
    await using stack = await BenchStack.start();
    const population = await populate(stack, size);
    const times = quick ? { warmMs: 100, ms: 200 } : { warmMs: 400, ms: 2000 };
    const measured: [string, LoopResult][] = [];
    for (const [name, request] of Object.entries(listsOf(stack, population))) {
      const loop = { callers: CALLERS, ...times };
      const found = await exchangeLoop(
        stack.port,
        loop,
        () => request,
        ({ status }) => status === 200,
      );
      measured.push([name, found]);
    }
    const bare = await closedLoop({ callers: CALLERS, ...times, call: () => bareMembers(stack, population) });
    const slowest = measured.toSorted(([, one], [, other]) => other.p99 - one.p99)[0]!;
    const p99s = Object.fromEntries(measured.map(([name, { p99 }]) => [name, p99]));
    return {
      values: { slowest: slowest[1].p99, ...p99s },
      unit: { slowest: 'ms, p99', ...Object.fromEntries(measured.map(([name]) => [name, 'ms, p99'])) },
      baseline: { members: bare.p99 },
      targets: measured.map(([name, { p99 }]) => atMost(`p99 of ${name}`, p99, LIMIT_MS, 'ms')),
      notes: [
        `${size.members} members in one organization with ten browser sessions, two tokens and 20 audit entries each, ${size.organizations} organizations; ${CALLERS} callers`,
        'pages are as long as without a limit: 1,000 members or organizations, 100 of the others; `widest`: 1,000 of those, too',
        'baseline: the statement of 1,000 members alone in its transaction, as text of JSON',
        `slowest: ${slowest[0]}`,
      ],
    };
  },
};

/** The text of a request for each list: the organization's own by a person's token, the operator's by the admin token. */
function listsOf(stack: BenchStack, of: Population): Record<string, string> {
  const own = (path: string): string => getRequest(`/v1/org/${path}`, { authorization: `Bearer ${of.caller.token}` });
  const admin = (path: string): string =>
    getRequest(`/v1/admin/${path}`, { authorization: `Bearer ${stack.adminToken}` });
  return {
    members: own('members'),
    members_after: own(`members?after=${of.membershipId}`),
    members_by_email: own(`members?email=${of.email}`),
    members_by_operator: admin(`orgs/${of.slug}/members`),
    organizations: admin('orgs'),
    web_sessions: own('web-sessions'),
    web_sessions_before: own(`web-sessions?before=${of.sessionId}`),
    web_sessions_of_member: own(`web-sessions?member=${of.membershipId}`),
    web_sessions_widest: own('web-sessions?limit=1000'),
    tokens: own('tokens'),
    tokens_before: own(`tokens?before=${of.tokenId}`),
    tokens_of_member: own(`tokens?member=${of.membershipId}`),
    audit: own('audit'),
    audit_before: own(`audit?before=${of.auditId}`),
    audit_of_action: own('audit?action=member.roles'),
    audit_refused: own('audit?success=false'),
    audit_absent: own('audit?action=idp.migrate'),
    audit_widest: own('audit?limit=1000'),
    audit_of_deployment: admin('audit'),
    audit_of_deployment_before: admin(`audit?before=${of.auditId}`),
    audit_of_deployment_refused: admin('audit?success=false'),
    audit_of_deployment_absent: admin('audit?action=idp.migrate'),
  };
}

/** @returns the members as text, as an answer has them */
async function bareMembers({ db }: BenchStack, { caller }: Population): Promise<string> {
  const rows = await db.withTenant(caller.organizationId, (tx) =>
    tx.query('select * from svc_list_members($1, $2, $3)', [null, null, 1000]),
  );
  return JSON.stringify(rows);
}
