export { run } from './run.workflow.js';
export { approvalNotice } from './approval-notice.workflow.js';
export { resultDelivery } from './result-delivery.workflow.js';
export { ingressEvent } from './ingress-event.workflow.js';
export { relay } from './relay.workflow.js';
export { maintenance } from './maintenance.workflow.js';
export { scheduledInvocation } from './scheduled-invocation.workflow.js';
