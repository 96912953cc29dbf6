import type { Environment } from './environment.ts';

export interface RepetitionOptions {
  readonly environment: Environment;
  /** Rest from the end of one pass to the beginning of the next. */
  readonly restMilliseconds: number;
  /** Name of the work, for the report of a pass that failed. */
  readonly step: string;
  readonly pass: () => Promise<void>;
  readonly report: (step: string, error: unknown) => void;
}

/** Something that is done now and then, never twice at a time; what fails is done again later. */
export class Repetition {
  readonly #options: RepetitionOptions;
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: RepetitionOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The first pass comes after a rest, too. */
  start(): void {
    const { environment, restMilliseconds, step, pass, report } = this.#options;
    this.#cancel = environment.after(restMilliseconds, () => {
      this.#running = pass()
        .catch((error: unknown) => report(step, error))
        .finally(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  /** Waits for a pass that runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }
}
