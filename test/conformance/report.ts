import type { Exception, Exceptions } from './exceptions.ts';
import { isRefusal, type Outcome } from './outcome.ts';

class Count {
  total = 0;
  passed = 0;
  /** Failing outcomes that an exception calls `disputed` or `choice`. */
  disputed = 0;
  choice = 0;
  /** Passing outcomes in which an error is expected, and the formula cannot be entered. */
  refused = 0;

  add({ passes, found }: Outcome, exception: Exception | undefined): void {
    this.total++;
    if (passes) this.passed++;
    if (passes && isRefusal(found)) this.refused++;
    if (exception !== undefined) this[exception.kind]++;
  }

  get failed(): number {
    return this.total - this.passed;
  }

  get share(): string {
    return `${((100 * this.passed) / this.total).toFixed(2)} %`;
  }

  get text(): string {
    const { passed, total, disputed, choice, failed, refused } = this;
    const others = failed - disputed - choice;
    const reasons = `${failed} fail: ${disputed} disputed, ${choice} by choice, ${others} others`;
    return `${passed} of ${total}, ${this.share} (${refused} by refusal); ${reasons}`;
  }
}

export interface ReportOptions {
  readonly exceptions: Exceptions;
  /** Counts cells of this function only. */
  readonly fn?: string | undefined;
}

/** Counts outcomes by corpus and by function. */
export class Report {
  readonly #exceptions: Exceptions;
  readonly #fn: string | undefined;
  readonly #all = new Count();
  readonly #corpora = new Map<string, Count>();
  readonly #functions = new Map<string, Count>();
  /** Failing outcomes, a line each; those without a reason also apart. */
  readonly failing: string[] = [];
  readonly others: string[] = [];

  constructor({ exceptions, fn }: ReportOptions) {
    this.#exceptions = exceptions;
    this.#fn = fn;
  }

  add(outcome: Outcome): void {
    const { id, expectation, passes } = outcome;
    const { fn } = expectation;
    if (this.#fn !== undefined && this.#fn !== fn) return;
    const exception = passes ? undefined : this.#exceptions.find(id, expectation);
    const corpus = id.slice(0, id.indexOf('/'));
    const counts = [this.#all, counted(this.#corpora, corpus), counted(this.#functions, fn)];
    for (const count of counts) count.add(outcome, exception);
    if (passes) return;
    const line = lineOf(outcome);
    this.failing.push(`${line}\t${exception?.kind ?? ''}\t${exception?.reason ?? ''}`);
    if (exception === undefined) this.others.push(line);
  }

  /** Lines of the lists that nothing failed for; none where not all was counted. */
  get stale(): string[] {
    return this.#fn === undefined ? this.#exceptions.stale(new Set(this.#corpora.keys())) : [];
  }

  /** Yields the report for a person: shares, and the functions that fail most. */
  *lines(worst: number): Generator<string> {
    for (const [name, count] of this.#corpora) yield `${name}: ${count.text}`;
    yield `all: ${this.#all.text}`;
    const functions = [...this.#functions].toSorted(([, a], [, b]) => b.failed - a.failed);
    const mean = functions.reduce((sum, [, one]) => sum + one.passed / one.total, 0);
    const whole = functions.filter(([, one]) => one.failed === 0).length;
    const share = ((100 * mean) / functions.length).toFixed(2);
    yield `functions: mean ${share} %, ${whole} of ${functions.length} wholly right`;
    for (const [name, count] of functions.slice(0, worst)) {
      if (count.failed > 0) yield `${name}: ${count.failed} of ${count.total} fail`;
    }
    for (const line of this.others) yield `fails without a reason: ${line}`;
    for (const line of this.stale) yield `nothing fails any more: ${line}`;
  }
}

function counted(counts: Map<string, Count>, name: string): Count {
  const count = counts.get(name) ?? new Count();
  counts.set(name, count);
  return count;
}

/** Function, case, cell, formula, what is expected and what was found, between tabs. */
export function lineOf({ id, expectation, formula, found }: Outcome): string {
  const { fn, sheet, cell, value } = expectation;
  const values = [formula, value, found].map((one) => JSON.stringify(one));
  return [fn, id, `${sheet}!${cell}`, ...values].join('\t');
}
