/** The organization that the admin token acts for in a single-admin deployment (chapter 60 §2). */
export class DeploymentOrganization {
  constructor(readonly id: string) {}
}
