import type { Environment } from '../model/environment.ts';
import { rightCountsMilliseconds, type Rights } from '../model/rights.ts';

interface ReadRightParts {
  readonly rights: Rights;
  readonly environment: Environment;
}

/** The right of a call to what it reads, which may end while the call is served. */
export class ReadRight {
  readonly #parts: ReadRightParts;
  readonly #authorization: string | undefined;
  #checkedAt: number;

  constructor(parts: ReadRightParts, authorization: string | undefined) {
    this.#parts = parts;
    this.#authorization = authorization;
    this.#checkedAt = parts.environment.elapsed();
  }

  /** Fails as a new call would, if the last look was a while ago; `find` names the workbook. */
  async check(find?: () => Promise<string>): Promise<void> {
    const { rights, environment } = this.#parts;
    if (environment.elapsed() - this.#checkedAt < rightCountsMilliseconds) return;
    const authorization = this.#authorization;
    // The credential comes first: without one, nothing is told of the workbook.
    await rights.check({ authorization });
    if (find) await rights.check({ authorization, workbookId: await find() });
    this.#checkedAt = environment.elapsed();
  }
}
