/** Whose a bearer is. */
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

/** A deployment that issues no credentials to users: nobody is one. */
export class NoUserCredentials extends UserCredentials {
  find(): Promise<null> {
    return Promise.resolve(null);
  }
}
