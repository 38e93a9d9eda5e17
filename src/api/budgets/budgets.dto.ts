import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsNumber, IsOptional, Max, Min } from 'class-validator';
import { LARGEST_CAPS } from '../../domain/budgets/effective-budgets.js';
import type { Budgets } from '../../domain/run/spec.js';

/** Caps that a caller asks for; one that is left out or null is no cap at this layer (docs/design/budgets.md). */
export class BudgetsInput implements Partial<Budgets> {
  @ApiPropertyOptional({
    type: 'number',
    nullable: true,
    minimum: 0,
    maximum: LARGEST_CAPS.max_cost_usd,
    description: 'US dollars.',
  })
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0)
  @Max(LARGEST_CAPS.max_cost_usd)
  max_cost_usd?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    nullable: true,
    minimum: 0,
    maximum: LARGEST_CAPS.max_wall_clock_secs,
    description: 'Seconds since the run began to run.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(LARGEST_CAPS.max_wall_clock_secs)
  max_wall_clock_secs?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    nullable: true,
    minimum: 0,
    maximum: LARGEST_CAPS.max_tool_calls,
    description: 'Gated tool calls, denied ones included.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(LARGEST_CAPS.max_tool_calls)
  max_tool_calls?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    nullable: true,
    minimum: 0,
    maximum: LARGEST_CAPS.max_tokens,
    description: 'Sum of all four token counts.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(LARGEST_CAPS.max_tokens)
  max_tokens?: number | null;
}

/** The caps in force; null means no cap. */
export class BudgetsView implements Budgets {
  @ApiProperty({ type: 'number', nullable: true, description: 'US dollars.' })
  max_cost_usd!: number | null;

  @ApiProperty({ type: 'integer', format: 'int64', nullable: true })
  max_wall_clock_secs!: number | null;

  @ApiProperty({ type: 'integer', format: 'int64', nullable: true })
  max_tool_calls!: number | null;

  @ApiProperty({ type: 'integer', format: 'int64', nullable: true })
  max_tokens!: number | null;
}

/** The caps of a layer, with those that it leaves out as null. */
export function wholeBudgets(input: BudgetsInput): Budgets {
  return {
    max_wall_clock_secs: input.max_wall_clock_secs ?? null,
    max_tokens: input.max_tokens ?? null,
    max_cost_usd: input.max_cost_usd ?? null,
    max_tool_calls: input.max_tool_calls ?? null,
  };
}
