import type { NamesOfProduct } from './known-names.js';
import { SECTIONS } from './sections.js';

/** The names of the control plane. */
export const SERVICE_NAMES: NamesOfProduct = {
  prefix: 'SERVICE_',
  sections: SECTIONS,
  withoutEffect: [
    'SERVICE_PUBLIC_CONTROL_URL',
    'SERVICE_LLM_ADMIN_URL',
    'SERVICE_RUNTIME_ROLE',
    'SERVICE_KEEP_WORKSPACES',
    'SERVICE_WEB_MODE',
  ],
  ofOtherPrograms: ['SERVICE_SUPERVISED', 'SERVICE_API_URL'],
};
