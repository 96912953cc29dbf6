import { Failure } from '../model/failure.ts';

/**
 * Walks JSON text by the grammar of RFC 8259 and fails at the first fault or repeated member.
 * Only used to explain: JSON.parse has refused the text, or its members do not add up.
 */
export function explainJson(text: string): void {
  const scan = new JsonScan(text);
  scan.value('');
  scan.end();
}

const literals = ['true', 'false', 'null'];
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class JsonScan {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(pointer: string): void {
    this.#space();
    const first = this.#text[this.#offset];
    if (first === '{') this.#object(pointer);
    else if (first === '[') this.#array(pointer);
    else if (first === '"') this.#string();
    else this.#scalar();
    this.#space();
  }

  end(): void {
    if (this.#offset < this.#text.length) this.#fail('there is something after the value');
  }

  #object(pointer: string): void {
    const seen = new Set<string>();
    this.#offset++;
    this.#space();
    if (this.#takes('}')) return;
    do {
      this.#space();
      const at = this.#offset;
      const name = this.#string();
      const member = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (seen.has(name)) this.#repeated(name, member, at);
      seen.add(name);
      this.#space();
      if (!this.#takes(':')) this.#fail('a colon is missing after the member name');
      this.value(member);
    } while (this.#takes(','));
    if (!this.#takes('}')) this.#fail('a comma or a closing brace is missing');
  }

  #array(pointer: string): void {
    this.#offset++;
    this.#space();
    if (this.#takes(']')) return;
    let index = 0;
    do this.value(`${pointer}/${index++}`);
    while (this.#takes(','));
    if (!this.#takes(']')) this.#fail('a comma or a closing bracket is missing');
  }

  #string(): string {
    if (this.#text[this.#offset] !== '"') this.#fail('a name in double quotes is missing');
    stringPattern.lastIndex = this.#offset;
    const [quoted] = stringPattern.exec(this.#text) ?? [];
    if (quoted === undefined)
      return this.#fail('the string does not end, or has a bare control character');
    this.#offset += quoted.length;
    return JSON.parse(quoted) as string;
  }

  #scalar(): void {
    const literal = literals.find((word) => this.#text.startsWith(word, this.#offset));
    numberPattern.lastIndex = this.#offset;
    const length = literal?.length ?? numberPattern.exec(this.#text)?.[0].length;
    if (length === undefined) return this.#fail('a value is missing');
    this.#offset += length;
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
      extra: { position: this.#offset, line, column },
    });
  }

  #repeated(name: string, pointer: string, offset: number): never {
    const { line, column } = this.#place(offset);
    throw new Failure('duplicateMember', {
      detail: `The member ${JSON.stringify(name)} is given twice, again at line ${line}, column ${column}.`,
      errors: [{ pointer, code: 'duplicate_member', message: 'Give it once.' }],
    });
  }

  #place(offset: number): { line: number; column: number } {
    const before = this.#text.slice(0, offset).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}
