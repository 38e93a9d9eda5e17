import { Module } from '@nestjs/common';
import { Metrics } from '../../core/metrics/metrics.js';
import { HarnessCatalog } from '../../core/harnesses/harness-catalog.js';
import { MetricsController } from './metrics.controller.js';

/** Serves the metrics of this process. The models of the catalog have series of their own, so that no other text can create any. */
@Module({ controllers: [MetricsController] })
export class MetricsModule {
  constructor(metrics: Metrics, catalog: HarnessCatalog) {
    metrics.nameModels(catalog.list().flatMap(({ models }) => models));
  }
}
