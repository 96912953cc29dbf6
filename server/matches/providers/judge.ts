import { cutText } from '../../model/cut-text.ts';
import type { ProviderClient } from './client.ts';
import { ProviderFault } from './fault.ts';
import { promptFor, readAnswer, type JudgedPair, type PairVerdict } from './prompt.ts';
import type { JudgeSpec } from './registry.ts';
import type { ProviderTable } from './sql.ts';

export interface JudgeParts {
  readonly name: string;
  readonly spec: JudgeSpec;
  readonly client: Pick<ProviderClient, 'post'>;
  readonly table: Pick<ProviderTable, 'spend'>;
}

export interface JudgeOrder {
  readonly account: string;
  readonly meter: (count: number) => void;
  readonly signal: AbortSignal;
}

const detailCharacters = 200;

/** Asks a model whether two texts mean the same, some pairs at a time. */
export class Judge {
  readonly #parts: JudgeParts;
  /** Is true until the endpoint says that it takes no schemas of answers. */
  #isStrict = true;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
  }

  get spec(): JudgeSpec {
    return this.#parts.spec;
  }

  /** A verdict on each pair; undefined where none came that can be used. */
  async judge(
    pairs: readonly JudgedPair[],
    order: JudgeOrder,
  ): Promise<(PairVerdict | undefined)[]> {
    const { pairsPerPrompt } = this.#parts.spec;
    const prompts: JudgedPair[][] = [];
    for (let at = 0; at < pairs.length; at += pairsPerPrompt) {
      prompts.push(pairs.slice(at, at + pairsPerPrompt));
    }
    const verdicts = await Promise.all(prompts.map((prompt) => this.#prompt(prompt, order)));
    return verdicts.flat();
  }

  /** An answer that cannot be used is asked for once more, in two halves. */
  async #prompt(pairs: readonly JudgedPair[], order: JudgeOrder) {
    const first = await this.#ask(pairs, order);
    if (first !== 'unusable') return first;
    const half = Math.ceil(pairs.length / 2);
    const verdicts: (PairVerdict | undefined)[] = [];
    for (const part of [pairs.slice(0, half), pairs.slice(half)]) {
      if (part.length === 0) continue;
      const answer = await this.#ask(part, order);
      verdicts.push(...(answer === 'unusable' ? part.map(() => undefined) : answer));
    }
    return verdicts;
  }

  /** Returns no verdicts where the account may ask for no more, or nobody answers. */
  async #ask(
    pairs: readonly JudgedPair[],
    { account, meter, signal }: JudgeOrder,
  ): Promise<readonly (PairVerdict | undefined)[] | 'unusable'> {
    const { name, spec, table } = this.#parts;
    const { dailyPerAccount: most } = spec;
    const count = pairs.length;
    if (most !== undefined && !(await table.spend(account, name, { count, most }))) {
      return pairs.map(() => undefined);
    }
    meter(count);
    try {
      const verdicts = readAnswer(await this.#send(pairs, signal), count);
      if (!verdicts) return 'unusable';
      return verdicts.map(({ isMatch, reason }) => ({
        isMatch,
        reason: reason === undefined ? undefined : cutText(reason, detailCharacters),
      }));
    } catch (error) {
      // Without a key nothing will ever come; anything else leaves these pairs to a person.
      if (!(error instanceof ProviderFault) || error.code === 'provider_auth') throw error;
      return pairs.map(() => undefined);
    }
  }

  async #send(pairs: readonly JudgedPair[], signal: AbortSignal): Promise<Uint8Array> {
    const { client, spec } = this.#parts;
    const ask = (isStrict: boolean): Promise<Uint8Array> =>
      client.post('/chat/completions', promptFor(spec.model, pairs, isStrict), signal);
    if (!this.#isStrict) return ask(false);
    try {
      return await ask(true);
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.code !== 'provider_refused') throw error;
      const answer = await ask(false);
      this.#isStrict = false;
      return answer;
    }
  }
}
