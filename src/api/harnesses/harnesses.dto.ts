import { ApiProperty } from '@nestjs/swagger';
import type { Hindrances } from '../../core/harnesses/harness-availability.js';
import type { Harness } from '../../core/harnesses/harness-catalog.js';

export class HarnessModelView {
  @ApiProperty()
  id!: string;

  @ApiProperty({ description: 'Whether a provider that serves it is configured.' })
  available!: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'What to set before it can be called.' })
  unavailable_reason!: string | null;
}

export class HarnessView {
  @ApiProperty()
  id!: string;

  @ApiProperty({ type: [String] })
  models!: string[];

  @ApiProperty({ description: 'One of `models`.' })
  default_model!: string;

  @ApiProperty()
  display_name!: string;

  @ApiProperty({ description: 'Whether runs of this harness can be created now, with at least one of its models.' })
  available!: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why it is not available, and what to set or install.' })
  unavailable_reason!: string | null;

  @ApiProperty({ type: [HarnessModelView], description: 'The same models, each with whether it can be called.' })
  model_details!: HarnessModelView[];
}

export class SandboxNetworkView {
  @ApiProperty({ description: 'What holds sandboxes to the network that they were granted.' })
  enforcer!: string;

  @ApiProperty({ description: 'Whether a run can be given a network at all.' })
  supports_egress_grants!: boolean;
}

export class HarnessList {
  @ApiProperty({ type: [HarnessView] })
  harnesses!: HarnessView[];

  @ApiProperty({ type: SandboxNetworkView })
  network!: SandboxNetworkView;
}

export function toHarnessView(harness: Harness, { program, models }: Hindrances): HarnessView {
  const modelDetails = harness.models.map((id) => {
    const reason = models.get(id) ?? null;
    return { id, available: reason === null, unavailable_reason: reason };
  });
  const noModel = modelDetails.every(({ available }) => !available) ? [...new Set(models.values())] : [];
  const reason = [...(program === null ? [] : [program]), ...noModel].join('; ') || null;
  return {
    id: harness.id,
    models: [...harness.models],
    default_model: harness.defaultModel,
    display_name: harness.displayName,
    available: reason === null,
    unavailable_reason: reason,
    model_details: modelDetails,
  };
}
