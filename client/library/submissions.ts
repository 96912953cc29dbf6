import type { Transport } from './call.ts';
import type { Operation } from './operations.ts';
import type { SubmitOptions, Submitted, Written } from './options.ts';
import { refusedResult, Rejected, type Problem, type SubmissionResult } from './problem.ts';
import { makeUlid } from './ulid.ts';

const changesUsually = 100;

/** Operations that are written to one branch by requests, each once however often it is sent. */
export class Submissions {
  readonly #transport: Transport;
  readonly #place: { readonly id: string; readonly branch: string };

  constructor(transport: Transport, place: { readonly id: string; readonly branch: string }) {
    this.#transport = transport;
    this.#place = place;
  }

  /** Submits operations; the answer has the outcome of each, even if all were rejected. */
  async submit(ops: readonly Operation[], options: SubmitOptions): Promise<Submitted> {
    return this.#referred(await this.#post(ops, options).catch(refusedResult));
  }

  /** Submits operations; resolves with the cells that changed. Throws Rejected. */
  async write(ops: readonly Operation[], options: SubmitOptions): Promise<Written> {
    const posted = await this.#post(ops, { changes: changesUsually, ...options }).catch(
      (error: unknown) => {
        throw new Rejected(refusedResult(error).results, error as Problem);
      },
    );
    const answer = this.#referred(posted);
    if (answer.results.some(({ status }) => status === 'rejected')) {
      throw new Rejected(answer.results, answer);
    }
    const told = answer.changes;
    const changes = told && 'cells' in told ? told : { cells: [], errors: [], total: 0 };
    return { ...answer, changes };
  }

  #post(ops: readonly Operation[], options: SubmitOptions): Promise<SubmissionResult> {
    const { writer, baseSeq, mode, group, changes, ...settings } = options;
    const named = ops.map((one) => ({ ...one, id: one.id ?? makeUlid() }));
    const given = Object.fromEntries(
      Object.entries({ writer, baseSeq, mode, group }).filter(([, value]) => value !== undefined),
    );
    const body = { ops: named, ...given, ...(changes && { return: { changes } }) };
    const path = '/v1/workbooks/{id}/branches/{branch}/ops';
    return this.#transport.call('POST', path, { ...settings, path: this.#place, body });
  }

  #referred(answer: SubmissionResult): Submitted {
    return { ...answer, ref: `${this.#place.branch}@${answer.lastSeq ?? answer.head}` };
  }
}
