import { readFileSync } from 'node:fs';

import { cellName } from '../../server/model/address.ts';
import { parseSheetRange, type Range } from '../../server/model/range.ts';
import type { Expectation } from './corpus.ts';

/** `disputed`: Excel does not do what is expected. `choice`: it does, and we want otherwise. */
export type ExceptionKind = 'disputed' | 'choice';

export interface Exception {
  readonly kind: ExceptionKind;
  readonly reason: string;
}

/** One cell of a line, or a whole case, and whether it was needed yet. */
interface Entry extends Exception {
  /** As the file has it. */
  readonly line: string;
  isUsed: boolean;
}

const files = [
  ['disputed', '../../../test/conformance/disputed.txt'],
  ['choice', '../../../test/conformance/choices.txt'],
] as const;

const place = /(?:'(?:[^']|'')*'!|[^\s'!]+!)?[A-Z]+\d+(?::[A-Z]+\d+)?/gu;

/**
 * Expectations that are not met on purpose, and why: see the head of `disputed.txt`. A line names a
 * case, and its cells where others of it pass; so nothing else of the case fails unnoticed.
 */
export class Exceptions {
  /** By case; then by `sheet!cell`, by `cell` where no sheet is named, or by `` for all of it. */
  readonly #entries = new Map<string, Map<string, Entry>>();

  static read(): Exceptions {
    const exceptions = new Exceptions();
    for (const [kind, path] of files) {
      exceptions.add(kind, readFileSync(new URL(path, import.meta.url), 'utf8'));
    }
    return exceptions;
  }

  add(kind: ExceptionKind, text: string): void {
    for (const paragraph of text.split('\n\n')) {
      const lines = paragraph.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      const isReason = (line: string) => line.startsWith('> ');
      const reason = lines.filter(isReason).map((line) => line.slice(2));
      for (const line of lines.filter((one) => !isReason(one))) {
        if (reason.length === 0) throw new Error(`${line} is ${kind} without a reason`);
        this.#addLine(line, { kind, reason: reason.join(' ') });
      }
    }
  }

  /** Why an expectation is not met, or undefined where nobody knows. */
  find(id: string, { sheet, cell }: Pick<Expectation, 'sheet' | 'cell'>): Exception | undefined {
    const ofCase = this.#entries.get(id);
    const entry = ofCase?.get(`${sheet}!${cell}`) ?? ofCase?.get(cell) ?? ofCase?.get('');
    if (entry !== undefined) entry.isUsed = true;
    return entry;
  }

  /** Lines of these corpora with a cell, or a case, that was not needed since they were read. */
  stale(corpora: ReadonlySet<string>): string[] {
    const found = new Set<string>();
    for (const [id, entries] of this.#entries) {
      if (!corpora.has(id.slice(0, id.indexOf('/')))) continue;
      for (const [key, { line, isUsed }] of entries) {
        if (!isUsed) found.add(key === '' ? line : `${id} ${key}`);
      }
    }
    return [...found];
  }

  #addLine(line: string, exception: Exception): void {
    const [id = ''] = line.split(' ', 1);
    if (/[*?]/u.test(id)) throw new Error(`${line}: a line names one case`);
    const ofCase = this.#entries.get(id) ?? new Map<string, Entry>();
    this.#entries.set(id, ofCase);
    for (const key of keysOf(line.slice(id.length).trim())) {
      if (ofCase.has(key)) throw new Error(`${line} is there twice`);
      ofCase.set(key, { ...exception, line, isUsed: false });
    }
  }
}

/** Cells of `Sheet2!A6 A9:A11`, one by one; a cell without a sheet is on any. */
function* keysOf(text: string): Generator<string> {
  if (text === '') {
    yield '';
    return;
  }
  if (text.replaceAll(place, '').trim() !== '') throw new Error(`${text} are no cells`);
  for (const [part] of text.matchAll(place)) {
    const area = parseSheetRange(part);
    if (area === undefined) throw new Error(`${part} is no range`);
    const before = area.sheet === undefined ? '' : `${area.sheet}!`;
    for (const range of area.areas) yield* cellsOf(range, before);
  }
}

function* cellsOf({ row0, row1, column0, column1 }: Range, before: string): Generator<string> {
  for (let row = row0; row <= row1; row++) {
    for (let column = column0; column <= column1; column++) yield before + cellName(row, column);
  }
}
