import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { Metrics } from '../../../platform/telemetry/metrics.js';

/** How fast the gate decides. What it decides is counted where it is recorded (`platform/telemetry/record-metrics`). */
@Injectable()
export class GateMetrics {
  private readonly latency: Histogram;

  constructor({ registry }: Metrics) {
    this.latency = new Histogram({
      registers: [registry],
      name: 'service_gate_decision_seconds',
      help: 'From a call to its recorded verdict, or to the recorded question to a human; waiting for people is not in it.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    });
  }

  /** A call was decided. `since` is of `performance.now()`. */
  decided(since: number): void {
    this.latency.observe((performance.now() - since) / 1000);
  }
}
