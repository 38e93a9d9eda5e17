import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Metrics } from '../../core/metrics/metrics.js';
import { METRICS_CONTENT_TYPE } from '../../platform/telemetry/metrics-listener.js';
import { OperatorPlane } from '../auth/permission.decorator.js';
import { Failures } from '../openapi/answers.js';

/** What this API process measures, for operators without a metrics listener (CP-270). */
@ApiTags('Service')
@Controller('v1/admin/metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @OperatorPlane()
  @Header('content-type', METRICS_CONTENT_TYPE)
  @ApiOperation({ summary: 'Read the metrics of this API process in the text format of Prometheus' })
  @ApiResponse({
    status: 200,
    description: 'Text format 0.0.4; docs/observability.md lists the metrics.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @Failures(400, 401, 503)
  readMetrics(): Promise<string> {
    return this.metrics.render();
  }
}
