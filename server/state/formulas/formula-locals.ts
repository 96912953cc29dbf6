import { foldName } from '../../model/names.ts';

interface Call {
  readonly kind: 'LET' | 'LAMBDA' | 'other';
  /** Number of names declared outside. */
  readonly mark: number;
  /** A name declared by LET whose value has not been read yet. */
  pending: string | undefined;
  expects: 'name' | 'comma' | 'value';
}

/** The names that LET and LAMBDA declare in a formula, while it is scanned. */
export class LocalNames {
  readonly #names: string[] = [];
  readonly #calls: Call[] = [];

  has(name: string): boolean {
    return this.#names.length > 0 && this.#names.includes(foldName(name));
  }

  /** Opens a parenthesis, with the word in front of it if any. */
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

  /** Takes a word that is an argument by itself; returns whether it declares a name. */
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

  /** Takes `[name]`, an optional parameter of LAMBDA; returns whether it declares a name. */
  declareOptional(name: string): boolean {
    return this.#calls.at(-1)?.kind === 'LAMBDA' && this.declare(name);
  }
}
