import { Failure } from '../../server/model/failure.ts';
import { pointerOf } from '../../server/model/pointer.ts';

/**
 * Parses JSON by RFC 8259 and throws the first fault or repeated member with its position. It only
 * explains a text that JSON.parse has refused, or whose member count is wrong. The text nests no
 * deeper than bodies may.
 */
export function explainJson(text: string): void {
  const scan = new JsonScan(text);
  scan.value();
  scan.end();
}

const literals = ['true', 'false', 'null'];
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** A run of plain characters within a string, at most 4,096. */
const plainPattern = /[^"\\\u0000-\u001f]{1,4096}/y;

class JsonScan {
  readonly #text: string;
  readonly #path: PropertyKey[] = [];
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): void {
    this.#space();
    const first = this.#text[this.#offset];
    if (first === '{') this.#object();
    else if (first === '[') this.#array();
    else if (first === '"') this.#string();
    else this.#scalar();
    this.#space();
  }

  end(): void {
    if (this.#offset < this.#text.length) this.#fail('there is something after the value');
  }

  #object(): void {
    const seen = new Set<string>();
    this.#offset++;
    this.#space();
    if (this.#takes('}')) return;
    do {
      this.#space();
      const at = this.#offset;
      const name = this.#name();
      this.#path.push(name);
      if (seen.has(name)) this.#repeated(name, at);
      seen.add(name);
      this.#space();
      if (!this.#takes(':')) this.#fail('a colon is missing after the member name');
      this.value();
      this.#path.pop();
    } while (this.#takes(','));
    if (!this.#takes('}')) this.#fail('a comma or a closing brace is missing');
  }

  #array(): void {
    this.#offset++;
    this.#space();
    if (this.#takes(']')) return;
    let index = 0;
    do {
      this.#path.push(index++);
      this.value();
      this.#path.pop();
    } while (this.#takes(','));
    if (!this.#takes(']')) this.#fail('a comma or a closing bracket is missing');
  }

  #name(): string {
    const start = this.#offset;
    if (this.#text[start] !== '"') this.#fail('a name in double quotes is missing');
    this.#string();
    return JSON.parse(this.#text.slice(start, this.#offset)) as string;
  }

  /** Reads a string piece by piece: one expression for megabytes would exhaust its stack. */
  #string(): void {
    this.#offset++;
    while (this.#skip(plainPattern) || this.#skip(escapePattern));
    if (!this.#takes('"')) this.#fail('the string does not end, or has a bare control character');
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#offset;
    if (!pattern.test(this.#text)) return false;
    this.#offset = pattern.lastIndex;
    return true;
  }

  #scalar(): void {
    const literal = literals.find((word) => this.#text.startsWith(word, this.#offset));
    if (literal !== undefined) this.#offset += literal.length;
    else if (!this.#skip(numberPattern)) this.#fail('a value is missing');
  }

  #space(): void {
    while (' \n\r\t'.includes(this.#text[this.#offset] ?? '-')) this.#offset++;
  }

  #takes(character: string): boolean {
    if (this.#text[this.#offset] !== character) return false;
    this.#offset++;
    return true;
  }

  #fail(what: string): never {
    const { line, column } = this.#place(this.#offset);
    const found = this.#text[this.#offset];
    const where = found === undefined ? 'at the end' : `before ${JSON.stringify(found)}`;
    throw new Failure('invalidJson', {
      detail: `At line ${line}, column ${column} (${where}), ${what}.`,
      hint: 'Send the body as JSON (RFC 8259), in UTF-8.',
      extra: { position: this.#offset, line, column },
    });
  }

  #repeated(name: string, offset: number): never {
    const { line, column } = this.#place(offset);
    const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
    throw new Failure('duplicateMember', {
      detail: `The member ${shown} is given twice, again at line ${line}, column ${column}.`,
      hint: 'Give each member once.',
      errors: [
        { pointer: pointerOf(this.#path), code: 'duplicate_member', message: 'Give it once.' },
      ],
    });
  }

  #place(offset: number): { line: number; column: number } {
    let line = 1;
    let start = 0;
    for (;;) {
      const end = this.#text.indexOf('\n', start);
      if (end < 0 || end >= offset) return { line, column: offset - start + 1 };
      line++;
      start = end + 1;
    }
  }
}
