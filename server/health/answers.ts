import type { Metrics } from '../metrics.ts';
import type { Environment } from '../model/environment.ts';
import type { Readiness, ReadinessReport } from './readiness.ts';

export interface HealthParts {
  readonly version: string;
  readonly environment: Environment;
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
  readonly #startedAt: number;

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#startedAt = parts.environment.elapsed();
  }

  health(): Health {
    const { version, environment } = this.#parts;
    const seconds = Math.floor((environment.elapsed() - this.#startedAt) / 1000);
    return { status: 'ok', version, uptime_s: seconds };
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
