/** Number formats met so far; a cell's style index is its format's place here. */
export class FormatList {
  readonly codes: string[] = ['General'];
  readonly #indexes = new Map<string, number>([['General', 0]]);

  indexOf(code: string): number {
    const known = this.#indexes.get(code);
    if (known !== undefined) return known;
    const index = this.codes.push(code) - 1;
    this.#indexes.set(code, index);
    return index;
  }
}
