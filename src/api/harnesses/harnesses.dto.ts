import { ApiProperty } from '@nestjs/swagger';
import type { Harness } from './harness-catalog.js';

export class HarnessView {
  @ApiProperty()
  id!: string;

  @ApiProperty({ type: [String] })
  models!: string[];

  @ApiProperty({ description: 'One of `models`.' })
  default_model!: string;

  @ApiProperty()
  display_name!: string;

  @ApiProperty({ description: 'Whether runs of this harness can be created now.' })
  available!: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why it is not available, and what to set.' })
  unavailable_reason!: string | null;
}

export class HarnessList {
  @ApiProperty({ type: [HarnessView] })
  harnesses!: HarnessView[];
}

export function toHarnessView(harness: Harness): HarnessView {
  return {
    id: harness.id,
    models: [...harness.models],
    default_model: harness.defaultModel,
    display_name: harness.displayName,
    available: harness.unavailable === null,
    unavailable_reason: harness.unavailable,
  };
}
