import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import type { Value } from '../../server/model/cell-value.ts';

/** A cell of a case: a value, or a formula with the area of its array. */
export interface CorpusCell {
  readonly v?: Value;
  readonly f?: string;
  readonly array?: string;
  /** The array spills; otherwise it is a legacy array of fixed size. */
  readonly dynamic?: boolean;
}

export interface Expectation {
  readonly sheet: string;
  readonly cell: string;
  /** An error called `*` is any error. */
  readonly value: Value | { readonly error: '*' };
  /** Absolute. */
  readonly tolerance?: number;
  readonly fn: string;
}

export interface CorpusCase {
  readonly id: string;
  readonly source: string;
  /** `calc` where LibreOffice wrote the formulas. */
  readonly dialect: 'excel' | 'calc';
  readonly epoch: '1900' | '1904' | '1899-12-30';
  readonly names?: readonly { name: string; ref: string; scope?: string }[];
  readonly tables?: readonly {
    name: string;
    sheet: string;
    ref: string;
    headerRow: boolean;
    totalsRow: boolean;
    columns: readonly string[];
  }[];
  readonly sheets: Readonly<Record<string, Readonly<Record<string, CorpusCell>>>>;
  readonly expect: readonly Expectation[];
}

/** The cases of one corpus: a line of JSON each, compressed. */
export function* readCorpus(path: string): Generator<CorpusCase> {
  for (const line of gunzipSync(readFileSync(path)).toString().split('\n')) {
    // LibreOffice keeps a second `=` that somebody typed, and passes over it.
    if (line !== '') yield JSON.parse(line.replaceAll('"f":"==', '"f":"=')) as CorpusCase;
  }
}
