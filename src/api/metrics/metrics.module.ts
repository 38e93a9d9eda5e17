import { Module } from '@nestjs/common';
import { Metrics } from '../../core/metrics/metrics.js';
import { HarnessCatalog } from '../harnesses/harness-catalog.js';
import { HarnessesModule } from '../harnesses/harnesses.module.js';
import { MetricsController } from './metrics.controller.js';

/** Serves the metrics of this process. The models of the catalog have series of their own, so that no other text can create any. */
@Module({ imports: [HarnessesModule], controllers: [MetricsController] })
export class MetricsModule {
  constructor(metrics: Metrics, catalog: HarnessCatalog) {
    metrics.nameModels(catalog.list().flatMap(({ models }) => models));
  }
}
