import { declaredRoutes, type Admission } from '../../../src/api/auth/declared-routes.js';
import { OPERATOR_PERMISSIONS } from '../../../src/api/auth/role-permissions.js';
import type { FixtureSubscription } from '../triggers/subscription-fixture.js';
import type { CallOptions, TestApi } from './api.js';
import { signIn, type TestBrowser } from './users.js';

type Caller = Pick<CallOptions, 'token' | 'headers'>;

const LOGOUT = 'POST /v1/auth/logout';

/** Somebody who gets past the door of each described route, for walks over all of them: the operator wherever that is enough. */
export class RouteCallers {
  private constructor(
    private readonly admissions: ReadonlyMap<string, Admission>,
    private readonly trigger: FixtureSubscription,
    private readonly owner: TestBrowser,
    /** Its session ends when a walk gets as far as logging out. */
    private readonly leaving: TestBrowser,
  ) {}

  static async of(api: TestApi, trigger: FixtureSubscription): Promise<RouteCallers> {
    const owner = await api.addUser('owner');
    const admissions = declaredRoutes(api.app).map(({ method, path, admission }) => {
      return [`${method} ${path.replace(/:(\w+)/g, '{$1}')}`, admission] as const;
    });
    return new RouteCallers(new Map(admissions), trigger, await signIn(api.db, owner), await signIn(api.db, owner));
  }

  /** @param name `POST /v1/agents/{id}/revisions` */
  of(name: string): Caller {
    const admission = this.admissions.get(name);
    if (admission?.by === 'trigger-token') return { token: this.trigger.token };
    const needsPerson =
      admission?.by === 'permission' && (admission.browserOnly || !OPERATOR_PERMISSIONS.has(admission.permission));
    if (!needsPerson) return {};
    return { token: null, headers: { ...(name === LOGOUT ? this.leaving : this.owner).headers } };
  }
}
