import type { Acknowledged } from '../support/branch-checks.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

interface Submission {
  readonly writer: string;
  readonly mode: 'rebase' | 'atomic';
  readonly ops: readonly { readonly id: string; readonly kind: string; readonly payload: object }[];
}

interface Answer {
  readonly results: readonly { readonly status: string; readonly seq?: number }[];
}

export interface WriterOptions {
  readonly name: string;
  readonly credential: string;
  readonly random: SeededRandom;
}

/** One connection that writes without end, and sends again what it has no answer for. */
export class CrashWriter {
  readonly acknowledged: Acknowledged[] = [];
  readonly #options: WriterOptions;
  /** Sent, perhaps written, and not answered: the next thing to be sent. */
  #unanswered: Submission | undefined;
  #count = 0;
  #repeatCount = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Operations that were written, and whose sender first heard of it at a later try. */
  get repeatCount(): number {
    return this.#repeatCount;
  }

  /** Forgets a workbook that is no longer written to. */
  reset(): void {
    this.acknowledged.length = 0;
    this.#unanswered = undefined;
  }

  /** Writes until told to stop or until the service is gone. */
  async run(url: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const submission = (this.#unanswered ??= this.#next());
      const answer = await this.#send(url, submission);
      if (answer === 'gone') return;
      if (answer === 'later') continue;
      this.#unanswered = undefined;
      for (const [index, { status, seq }] of answer.results.entries()) {
        const id = submission.ops[index]?.id ?? '';
        if (status === 'duplicate') this.#repeatCount++;
        if (seq !== undefined) this.acknowledged.push({ writer: this.#options.name, id, seq });
      }
    }
  }

  /** Sends what is unanswered until it is answered. */
  async finish(url: string): Promise<void> {
    await this.run(url, () => this.#unanswered === undefined);
  }

  async #send(url: string, submission: Submission): Promise<Answer | 'gone' | 'later'> {
    const { credential } = this.#options;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        body: JSON.stringify(submission),
      });
      const text = await answer.text();
      if (answer.status === 200) return JSON.parse(text) as Answer;
      if (answer.status === 503 || answer.status === 429) return 'later';
      if (answer.status === 409) return { results: [] };
      throw new Error(`the service answered ${answer.status}: ${text}`);
    } catch (error) {
      // fetch says so of every connection that breaks; what is ours to see passes.
      if (error instanceof TypeError) return 'gone';
      throw error;
    }
  }

  #next(): Submission {
    const { name, random } = this.#options;
    const opCount = random.between(1, 6);
    const ops = Array.from({ length: opCount }, () => {
      const id = `${name}-${++this.#count}`;
      return { id, ...this.#operation(id) };
    });
    return { writer: name, mode: random.between(0, 4) === 0 ? 'atomic' : 'rebase', ops };
  }

  #operation(id: string): { kind: string; payload: object } {
    const { random } = this.#options;
    const row = random.between(1, 200);
    const sheet = 'Sheet1';
    switch (random.between(0, 12)) {
      case 0:
        return { kind: 'rows.insert', payload: { sheet, before: row } };
      case 1:
        return { kind: 'rows.delete', payload: { sheet, from: row } };
      case 2:
        return {
          kind: 'range.fill',
          payload: { sheet, range: `C${row}:C${row + 9}`, input: '=A1*2' },
        };
      case 3:
        return { kind: 'numfmt.set', payload: { sheet, range: `A${row}`, pattern: '0.00' } };
      default:
        return { kind: 'cells.set', payload: { sheet, cells: [{ a1: `A${row}`, input: id }] } };
    }
  }
}
