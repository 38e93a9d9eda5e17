/** The account behind a personal token. */
export interface CodehostAccount {
  id: string;
  login: string;
  /** Of the header `x-oauth-scopes`; tokens of the fine-grained kind have none. */
  scopes: string[];
}

export interface CodehostApp {
  id: string;
  slug: string;
}

/** An app that was just registered, with the secrets that the host tells once. */
export interface RegisteredApp {
  id: string;
  slug: string;
  name: string;
  clientId: string;
  clientSecret: string;
  /** Null for an app without a webhook. */
  webhookSecret: string | null;
  /** PEM. */
  privateKey: string;
  htmlUrl: string;
  ownerLogin: string;
}

export interface CodehostInstallation {
  id: string;
  /** The app that is installed. */
  appId: string;
  accountLogin: string;
  suspended: boolean;
}

export interface InstallationToken {
  token: string;
  /** Clock time in milliseconds. */
  expiresAt: number;
}

/** One row of a repository picker. */
export interface CodehostRepository {
  id: string;
  full_name: string;
  private: boolean;
  default_branch: string | null;
  html_url: string | null;
  updated_at: string | null;
  pushed_at: string | null;
}

/** One row of a branch picker. */
export interface CodehostBranch {
  name: string;
  commit_sha: string;
  protected: boolean;
}

/** A page of a list; `page` counts from 1. */
export interface CodehostPage {
  page: number;
  perPage: number;
}

/** Whose repositories are listed: a person's token's, or an installation's. */
export type RepositoryLister = 'user' | 'installation';

/** What is asked of a code host; which host that is, and how it is spoken to, may vary. Every failure is a {@link CodehostError}. */
export interface CodeHost {
  /** @throws CodehostError status 401 for a token that the host does not know */
  currentUser(token: string): Promise<CodehostAccount>;
  /** @param jwt of the app */
  app(jwt: string): Promise<CodehostApp>;
  /**
   * @param jwt of the app
   * @throws CodehostError status 404 when the app has no such installation
   */
  installation(jwt: string, id: string): Promise<CodehostInstallation>;
  /** @param jwt of the app */
  installations(jwt: string, at: CodehostPage): Promise<CodehostInstallation[]>;
  /** @param jwt of the app */
  installationToken(jwt: string, id: string): Promise<InstallationToken>;
  repositories(token: string, lister: RepositoryLister, at: CodehostPage): Promise<CodehostRepository[]>;
  /** @param repository `owner/name` */
  branches(token: string, repository: string, at: CodehostPage): Promise<CodehostBranch[]>;
  /**
   * Takes over an app that a person has just registered from a manifest.
   *
   * @param code by which the host names it, once and for an hour; it is a credential
   */
  registeredApp(code: string): Promise<RegisteredApp>;
}
