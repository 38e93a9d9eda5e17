/** How sandboxes are held to what they were granted: their only way out is a tunnel that the control plane opens by name. */
export const SANDBOX_NETWORK = { enforcer: 'tunnel', supports_egress_grants: true } as const;

/** What a runner asks for by `upgrade`; another version of the tunnel has another name. */
export const TUNNEL_PROTOCOL = 'sandgate-tunnel/1';
