import type { Environment } from '../model/environment.ts';
import { openDriver, type DriverOptions } from './driver.ts';
import type { Sql } from './pool-type.ts';

/** Milliseconds for which a replaced pool may finish its statements. */
const retireMilliseconds = 10_000;

export interface RenewedPoolOptions {
  readonly driver: DriverOptions;
  readonly environment?: Environment | undefined;
}

/**
 * A pool that is replaced by a new one as soon as it loses a connection. When one closes while the
 * driver (postgres 3.4.9) is about to write on it, the driver writes nothing on the connection that
 * takes its place, and so never gets an answer there: after some restarts of PostgreSQL under load
 * each statement waits until its connection gives up.
 */
export class RenewedPool {
  readonly #options: RenewedPoolOptions;
  #current: Sql;
  #isEnded = false;
  readonly #retired = new Set<Sql>();

  constructor(options: RenewedPoolOptions) {
    this.#options = options;
    this.#current = this.#open();
  }

  /** Returns an object like a pool of the driver, with some members replaced. */
  sql(members: Readonly<Record<string, unknown>>): Sql {
    const given = { end: this.end.bind(this), ...members };
    const current = (): Sql => this.#current;
    return new Proxy(current(), {
      apply: (_target, _self, values) => Reflect.apply(current(), undefined, values) as unknown,
      get: (_target, name) => (Reflect.get(given, name) ?? Reflect.get(current(), name)) as unknown,
    });
  }

  async end(given: { timeout?: number } = {}): Promise<void> {
    this.#isEnded = true;
    await Promise.all([this.#current, ...this.#retired].map((sql) => sql.end(given)));
  }

  #open(): Sql {
    const { driver } = this.#options;
    const sql: Sql = openDriver({
      ...driver,
      onClose: () => {
        if (!this.#isEnded && sql === this.#current) this.#renew();
        driver.onClose?.();
      },
    });
    return sql;
  }

  #renew(): void {
    const retired = this.#current;
    this.#current = this.#open();
    this.#retired.add(retired);
    const end = async (): Promise<void> => {
      await retired.end();
      this.#retired.delete(retired);
    };
    const { environment } = this.#options;
    // Statements that wait in it may still be carried out by its other connections.
    if (environment) environment.after(retireMilliseconds, () => void end());
    else void end();
  }
}
