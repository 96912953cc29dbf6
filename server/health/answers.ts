import type { Metrics } from '../metrics.ts';
import type { Readiness, ReadinessReport } from './readiness.ts';

export interface HealthParts {
  readonly version: string;
  /** Seconds since the start, on a clock that nobody sets. */
  readonly uptimeSeconds: () => number;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
}

export interface Health {
  readonly status: 'ok';
  readonly version: string;
  readonly uptime_s: number;
}

/** Answers about the process itself, through whichever door they are asked for. */
export class HealthAnswers {
  readonly #parts: HealthParts;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  health(): Health {
    const { version, uptimeSeconds } = this.#parts;
    return { status: 'ok', version, uptime_s: Math.floor(uptimeSeconds()) };
  }

  ready(): Promise<ReadinessReport> {
    return this.#parts.readiness.check();
  }

  /** For whoever asks from this machine: load and error rates are the operator's business. */
  async metrics(): Promise<{ type: string; bytes: string }> {
    const { metrics } = this.#parts;
    return { type: metrics.contentType, bytes: await metrics.print() };
  }
}
