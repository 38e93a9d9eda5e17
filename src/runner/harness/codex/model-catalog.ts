import { isJsonObject } from '../../../domain/json.js';
import type { JsonObject } from '../../../domain/json.js';

/** A model of the program's own list whose calls are plain: one tool a call, no code that calls tools, no agents beside it. */
const TEMPLATE = 'gpt-5.5';

/**
 * A catalog that holds the frozen model alone, so that nothing else can be asked for, and describes every model alike. The
 * program's own descriptions of newer models run tools from code that the model writes, where no call has an id of its own.
 * @throws Error when the program's list has another shape than that of the pinned version
 */
export function frozenCatalog(programCatalog: unknown, model: string): JsonObject {
  const models = isJsonObject(programCatalog) ? programCatalog['models'] : undefined;
  const template = Array.isArray(models)
    ? models.filter(isJsonObject).find(({ slug }) => slug === TEMPLATE)
    : undefined;
  if (template === undefined) throw new Error(`the program's list of models has no ${TEMPLATE}`);
  return {
    models: [
      {
        ...template,
        slug: model,
        display_name: model,
        description: model,
        upgrade: null,
        availability_nux: null,
        additional_speed_tiers: [],
        service_tiers: [],
        apply_patch_tool_type: 'freeform',
        experimental_supported_tools: [],
        input_modalities: ['text'],
        supports_search_tool: false,
        use_responses_lite: false,
        include_skills_usage_instructions: false,
        include_plugin_usage_instructions: false,
        include_apps_usage_instructions: false,
      },
    ],
  };
}
