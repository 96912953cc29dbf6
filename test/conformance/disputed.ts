import { readFileSync } from 'node:fs';

/** Cases that are expected to fail, with the function of the cells that are meant, or all. */
interface Dispute {
  readonly cases: RegExp;
  readonly fn: string | undefined;
  readonly reason: string;
}

const file = new URL('../../../test/conformance/disputed.txt', import.meta.url);

/** Expectations that we do not meet on purpose, and why: see the head of `disputed.txt`. */
export class Disputes {
  readonly #disputes: readonly Dispute[];

  constructor(text = readFileSync(file, 'utf8')) {
    this.#disputes = [...readDisputes(text)];
  }

  /** Why an expectation is not met, or undefined where nobody knows. */
  reasonFor(id: string, fn: string): string | undefined {
    const meant = (one: Dispute) => (one.fn ?? fn) === fn && one.cases.test(id);
    return this.#disputes.find(meant)?.reason;
  }
}

function* readDisputes(text: string): Generator<Dispute> {
  for (const paragraph of text.split('\n\n')) {
    const lines = paragraph.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const isReason = (line: string) => line.startsWith('> ');
    const reason = lines.filter(isReason).map((line) => line.slice(2));
    for (const line of lines.filter((one) => !isReason(one))) {
      const [cases = '', fn] = line.split(' ');
      if (reason.length === 0) throw new Error(`${cases} is disputed without a reason`);
      yield { cases: globOf(cases), fn, reason: reason.join(' ') };
    }
  }
}

/** `*` stands for anything, `?` for one character. */
function globOf(cases: string): RegExp {
  const escaped = cases.replaceAll(/[.+^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'u');
}
