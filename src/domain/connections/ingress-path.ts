/** Where the code host sends the webhooks of a connection: to the app that its installations share, or to the connection itself. */
export function ingressPath({ id, registration_id: app }: { id: string; registration_id: string | null }): string {
  return app === null ? `/v1/ingress/codehost/${id}` : appIngressPath(app);
}

export function appIngressPath(registrationId: string): string {
  return `/v1/ingress/codehost/app/${registrationId}`;
}
