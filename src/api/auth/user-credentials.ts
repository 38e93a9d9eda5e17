/** The user behind a bearer token. */
export interface UserIdentity {
  organizationId: string;
  userId: string;
}

/**
 * Finds the user that a credential belongs to. What the user may do is read from the database at every request, so an
 * implementation answers identity alone, and only for a credential that it verified.
 */
export abstract class UserCredentials {
  abstract find(bearer: string): Promise<UserIdentity | null>;
}

/** For a deployment that issues no credentials to users: it knows no user. */
export class NoUserCredentials extends UserCredentials {
  find(): Promise<null> {
    return Promise.resolve(null);
  }
}
