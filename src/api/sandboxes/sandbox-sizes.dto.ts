import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsNumber, Max, Min } from 'class-validator';
import { MayBeLeftOut } from '../http/left-out.js';
import type { SandboxSizes } from '../../domain/run/spec.js';

/** Sizes that an agent asks for; one that is left out takes the deployment's default (docs/design/sandbox.md). */
export class SandboxSizesInput implements Partial<SandboxSizes> {
  @ApiPropertyOptional({ type: 'integer', minimum: 64, maximum: 1_048_576, description: 'Memory in MiB.' })
  @MayBeLeftOut()
  @IsInt()
  @Min(64)
  @Max(1_048_576)
  memory_mb?: number;

  @ApiPropertyOptional({ type: 'number', minimum: 0.1, maximum: 512, description: 'Processors.' })
  @MayBeLeftOut()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0.1)
  @Max(512)
  cpus?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 16, maximum: 1_048_576, description: 'Workspace in MiB.' })
  @MayBeLeftOut()
  @IsInt()
  @Min(16)
  @Max(1_048_576)
  disk_mb?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 16, maximum: 65_536, description: 'Processes and threads.' })
  @MayBeLeftOut()
  @IsInt()
  @Min(16)
  @Max(65_536)
  pids?: number;
}
