import type { Choices, StoredChoice } from '../state/outcome/stored-choice.ts';

/**
 * Stored choices, grouped: a bulk request makes a hundred thousand that differ only in their
 * conflicts.
 */
export interface PackedChoices extends Omit<StoredChoice, 'sides'> {
  /**
   * A text for each conflict or finding, of its id and the digest of its sides: `c_9f2a00000000
   * 5e884898da280471`.
   */
  readonly of: readonly string[];
}

export function packChoices(choices: Choices): PackedChoices[] {
  const packed = new Map<string, PackedChoices & { readonly of: string[] }>();
  for (const [id, { sides, ...said }] of choices) {
    const { choice, by, at, place } = said;
    const isWord = typeof choice === 'string' && !place;
    const key = isWord ? `${choice} ${at} ${by}` : JSON.stringify(said);
    const entry = `${id} ${sides}`;
    const known = packed.get(key);
    if (known) known.of.push(entry);
    else packed.set(key, { ...said, of: [entry] });
  }
  return [...packed.values()];
}

/** Unpacks lists of choices; a later list wins over an earlier one. */
export function unpackChoices(packed: Iterable<PackedChoices>): Choices {
  const choices = new Map<string, StoredChoice>();
  for (const { of: entries, choice, place, by, at } of packed) {
    for (const entry of entries) {
      const space = entry.indexOf(' ');
      const sides = entry.slice(space + 1);
      const said = { choice, sides, by, at };
      choices.set(entry.slice(0, space), place ? { ...said, place } : said);
    }
  }
  return choices;
}

/**
 * Returns the choices of several merges, the newest merge first, as `unpackChoices` takes them.
 * Each merge takes over the choices of those before it, so most of them are there many times: those
 * that a newer one repeats are left out.
 */
export function withoutRepeated(newestFirst: Iterable<readonly PackedChoices[]>): PackedChoices[] {
  const known = new Map<string, PackedChoices[]>();
  const left: PackedChoices[] = [];
  for (const packed of newestFirst) {
    for (const one of packed.toReversed()) {
      const { of: entries, ...said } = one;
      const key = JSON.stringify([said, entries.length]);
      const alike = known.get(key) ?? [];
      if (alike.some((other) => areSame(other.of, entries))) continue;
      known.set(key, [...alike, one]);
      left.push(one);
    }
  }
  return left.reverse();
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.every((entry, index) => entry === others[index]);
}
