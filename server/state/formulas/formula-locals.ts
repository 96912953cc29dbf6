import { foldName } from '../../model/names.ts';

interface Call {
  readonly kind: 'LET' | 'LAMBDA' | 'other';
  /** Number of names outside of it. */
  readonly mark: number;
  /** Declared by LET, but not yet known: its value comes first. */
  pending: string | undefined;
  expects: 'name' | 'comma' | 'value';
}

/** The names that a formula gives to its own values, LET's and LAMBDA's, while it is read. */
export class LocalNames {
  readonly #names: string[] = [];
  readonly #calls: Call[] = [];

  has(name: string): boolean {
    return this.#names.length > 0 && this.#names.includes(foldName(name));
  }

  /** After the parenthesis behind a word, or without one. */
  open(word = ''): void {
    const upper = word.toUpperCase();
    const isScope = (upper === 'LET' || upper === 'LAMBDA') && !this.has(word);
    const kind = isScope ? upper : 'other';
    this.#calls.push({ kind, mark: this.#names.length, pending: undefined, expects: 'name' });
  }

  close(): void {
    const call = this.#calls.pop();
    if (call) this.#names.length = call.mark;
  }

  comma(): void {
    const call = this.#calls.at(-1);
    if (call?.kind !== 'LET' || call.pending === undefined) return;
    if (call.expects === 'comma') {
      call.expects = 'value';
      return;
    }
    this.#names.push(foldName(call.pending));
    call.pending = undefined;
    call.expects = 'name';
  }

  /** Takes a word between two commas; returns whether it is a name that is given there. */
  declare(name: string): boolean {
    const call = this.#calls.at(-1);
    if (call?.kind === 'LAMBDA') {
      this.#names.push(foldName(name));
      return true;
    }
    if (call?.kind !== 'LET' || call.expects !== 'name') return false;
    call.pending = name;
    call.expects = 'comma';
    return true;
  }

  /** `[name]` between two commas: what a LAMBDA need not be given. */
  declareOptional(name: string): boolean {
    return this.#calls.at(-1)?.kind === 'LAMBDA' && this.declare(name);
  }
}
