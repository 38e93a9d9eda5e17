import { ApiProperty } from '@nestjs/swagger';
import type { RunUsage } from '../../core/budgets/usage.js';

/** What providers reported, nothing else; requests without a report stand apart (docs/design/runs.md). */
export class UsageTotals implements RunUsage {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description: 'Uncached input tokens.' })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0 })
  output_tokens!: number;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0 })
  cache_read_tokens!: number;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0 })
  cache_write_tokens!: number;

  @ApiProperty({ minimum: 0, description: 'US dollars; models without a price count 0.' })
  cost_usd!: number;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description: 'Metered model responses.' })
  requests!: number;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description: 'Gated tool calls, denied ones included.' })
  tool_calls!: number;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'Model requests whose usage never arrived.',
  })
  unreported_requests!: number;

  @ApiProperty({ minimum: 0, description: 'US dollars that those requests keep counted against the budget.' })
  reserved_cost_usd!: number;
}
