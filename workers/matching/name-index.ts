import { noRow } from './candidates.ts';
import { invert, type InvertedIndex } from './inverted-index.ts';
import { jaroWinkler, type Units } from './jaro-winkler.ts';
import { normalise } from './normalise.ts';
import { rowsOf, textAt } from './prepared.ts';
import { Retrieval } from './retrieval.ts';
import { packTexts, sharedUint32, startOf, type PackedTexts } from './shared-arrays.ts';
import { KnownTerms, TermDictionary, type SharedTerms } from './term-dictionary.ts';
import { countTerms, rareFirst, weigh, type TermCounts, type Vectors } from './vectors.ts';

/** Names of a column, indexed for later queries; threads share all of it. */
export interface NameIndex {
  readonly terms: SharedTerms;
  /** Rank of each term, rarest first, and the weight of each rank. */
  readonly order: Uint32Array;
  readonly rarity: Float64Array;
  readonly vectors: Vectors;
  readonly index: InvertedIndex;
  /** Distinct normalised names, and the rows of each. */
  readonly texts: PackedTexts;
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/** A row that was found for a query. */
export interface NamedRow {
  /** Row, counted from 0. */
  readonly row: number;
  /** Cosine of the terms, from 0 to 1. */
  readonly cosine: number;
  /** Similarity of the letters, from 0 to 1. */
  readonly jaroWinkler: number;
  /** True when the normalised names are equal. */
  readonly isEqual: boolean;
}

export interface AskNamesTask {
  readonly index: NameIndex;
  readonly questions: readonly { readonly text: string; readonly limit: number }[];
}

/** The setting for columns: little is skipped, because the lists are short. */
const exactRule = { prunedMass: 0.07, rescored: 60 } as const;
const largeRule = { prunedMass: 0.2, rescored: 60 } as const;
const largeTexts = 20_000;
/** Characters of a query that are looked at. */
const questionMost = 1024;

export interface SuggestTask {
  readonly index: NameIndex;
  readonly prefix: string;
  /** Rows to skip, and the number of rows wanted after them. */
  readonly skip: number;
  readonly limit: number;
}

export function indexNames({ texts: column }: { readonly texts: PackedTexts }): NameIndex {
  const { texts, starts, rows } = distinctNames(column);
  const dictionary = new TermDictionary();
  const counted = countTerms(texts, dictionary);
  const frequencies = new Uint32Array(dictionary.count);
  for (const term of counted.terms) frequencies[term] = (frequencies[term] ?? 0) + 1;
  const order = shareWords(rareFirst(frequencies));
  const rarity = new Float64Array(new SharedArrayBuffer(dictionary.count * 8));
  for (const [term, frequency] of frequencies.entries()) {
    rarity[order[term] ?? 0] = rarityOf(frequency, texts.length);
  }
  const vectors = weigh(counted, order, rarity);
  const index = invert(vectors, dictionary.count);
  const packed = packTexts(texts);
  return { terms: dictionary.shared(), order, rarity, vectors, index, texts: packed, starts, rows };
}

export function askNames({ index, questions }: AskNamesTask): NamedRow[][] {
  const texts = questions.map(({ text }) => normalise(text.slice(0, questionMost)));
  const queries = questionVectors(index, texts);
  const nameCount = index.texts.ends.length;
  const base = nameCount > largeTexts ? largeRule : exactRule;
  const given = { indexed: index.vectors, termCount: index.rarity.length };
  const kept = Math.max(1, ...questions.map(({ limit }) => limit));
  const rule = { ...base, rescored: Math.max(kept, base.rescored), kept };
  const retrieval = new Retrieval(index.index, given, rule);
  const found = texts.map((text, question) => {
    if (text === '') return [];
    const { count, rows, scores } = retrieval.nearest(queries, question);
    const names = Array.from(
      { length: count },
      (_, at) => [rows[at] ?? 0, scores[at] ?? 0] as const,
    );
    return spread(index, { text, names, limit: questions[question]?.limit ?? 0 });
  });
  retrieval.close();
  return found;
}

/**
 * Returns rows whose name begins with a text, then those with a later word that does, both in the
 * order of their first occurrence.
 */
export function suggestNames({ index, prefix, skip, limit }: SuggestTask): number[] {
  const wanted = normalise(prefix.slice(0, questionMost));
  const most = skip + limit;
  const first: number[] = [];
  const later: number[] = [];
  const units = packTexts([wanted]).characters;
  for (let name = 0; name < index.texts.ends.length && first.length < most; name++) {
    const place = placeOf(index.texts, name, units);
    const list = place === 'start' ? first : later;
    if (place === undefined || list.length >= most) continue;
    for (let at = index.starts[name] ?? 0; at < (index.starts[name + 1] ?? 0); at++) {
      list.push(index.rows[at] ?? 0);
    }
  }
  return [...first, ...later].slice(skip, most);
}

const space = 32;

/** Returns where a name has a text: at its start, at the start of a later word, or nowhere. */
function placeOf(
  { characters, ends }: PackedTexts,
  name: number,
  wanted: Uint16Array,
): 'start' | 'word' | undefined {
  const [start, end] = [startOf(ends, name), ends[name] ?? 0];
  for (let at = start; at + wanted.length <= end; at++) {
    if (at > start && characters[at - 1] !== space) continue;
    let same = 0;
    while (same < wanted.length && characters[at + same] === wanted[same]) same++;
    if (same === wanted.length) return at === start ? 'start' : 'word';
  }
  return undefined;
}

function rarityOf(frequency: number, textCount: number): number {
  return Math.log((1 + textCount) / (1 + frequency)) + 1;
}

function distinctNames(column: PackedTexts) {
  const rowCount = column.ends.length;
  const textOf = sharedUint32(rowCount).fill(noRow);
  const places = new Map<string, number>();
  const counts: number[] = [];
  for (let row = 0; row < rowCount; row++) {
    const text = normalise(textAt(column, row));
    if (text === '') continue;
    const number = places.get(text) ?? places.size;
    places.set(text, number);
    counts[number] = (counts[number] ?? 0) + 1;
    textOf[row] = number;
  }
  return { texts: [...places.keys()], ...rowsOf(textOf, counts) };
}

/** Returns the vectors of queries; unknown terms count as the rarest, and have no postings. */
function questionVectors(
  { terms, order, rarity, texts: names }: NameIndex,
  texts: readonly string[],
): Vectors {
  const counted: TermCounts = countTerms(texts, new KnownTerms(terms));
  let termCount = order.length;
  for (const term of counted.terms) termCount = Math.max(termCount, term + 1);
  const places = new Uint32Array(termCount);
  places.set(order);
  for (let term = order.length; term < termCount; term++) places[term] = term;
  const weights = new Float64Array(termCount).fill(rarityOf(0, names.ends.length));
  weights.set(rarity);
  return weigh(counted, places, weights);
}

interface Found {
  readonly text: string;
  readonly names: readonly (readonly [number, number])[];
  readonly limit: number;
}

/** Returns the rows of found names, the most similar first and then in table order. */
function spread(index: NameIndex, { text, names, limit }: Found): NamedRow[] {
  const asked = packTexts([text]);
  const own: Units = { units: asked.characters, start: 0, end: text.length };
  const found: NamedRow[] = [];
  for (const [name, cosine] of names) {
    const [start, end] = [startOf(index.texts.ends, name), index.texts.ends[name] ?? 0];
    const likeness = jaroWinkler(own, { units: index.texts.characters, start, end });
    const isEqual = textAt(index.texts, name) === text;
    for (let at = index.starts[name] ?? 0; at < (index.starts[name + 1] ?? 0); at++) {
      if (found.length === limit) return found;
      found.push({ row: index.rows[at] ?? 0, cosine, jaroWinkler: likeness, isEqual });
    }
  }
  return found;
}

function shareWords(words: Uint32Array): Uint32Array {
  const shared = sharedUint32(words.length);
  shared.set(words);
  return shared;
}
