import { referenceName } from '../model/reference.ts';
import type { ComparedStates } from './diffs.ts';
import type { DiffEntry } from './entry.ts';

/**
 * Lines of a patch in the manner of unified diffs: removed content after `-`, new content after
 * `+`.
 */
export function* patchLines(
  { from, to }: Pick<ComparedStates, 'from' | 'to'>,
  entries: Iterable<DiffEntry>,
): Generator<string> {
  yield `--- ${referenceName(from.branch, from.seq)}`;
  yield `+++ ${referenceName(to.branch, to.seq)}`;
  for (const entry of entries) {
    const { before, after, ...rest } = entry.show();
    yield `@@ ${headingOf(entry, rest)} @@`;
    if (before !== null && before !== undefined) yield `-${sideText(before)}`;
    if (after !== null && after !== undefined) yield `+${sideText(after)}`;
  }
}

function headingOf({ list }: DiffEntry, shown: Readonly<Record<string, unknown>>): string {
  const { sheet, a1, range, at, op, name, path, style, type, table, property, ...rest } = shown;
  const sides = typeof a1 === 'object' && a1 !== null ? placesText(Object.values(a1)) : a1;
  const where = [sides, range, at, name, path, style, property].find((part) => {
    return part !== undefined && part !== null;
  });
  const what = op ?? type ?? (list === 'cells' ? undefined : list);
  const place = sheet === undefined ? where : where === undefined ? sheet : join(sheet, where);
  const moved = op === undefined ? undefined : movedText(rest);
  return [what, place ?? table, moved].flatMap((part) => textOf(part)).join(' ');
}

function join(sheet: unknown, where: unknown): string {
  return `${textOf(sheet).join('')}!${textOf(where).join('')}`;
}

function placesText(places: readonly unknown[]): string {
  const [from, to] = places.flatMap(textOf);
  return from === to || to === undefined ? (from ?? '') : `${from} -> ${to}`;
}

function movedText({ from, to }: Readonly<Record<string, unknown>>): string | undefined {
  return from === undefined ? undefined : `${textOf(from).join('')} -> ${textOf(to).join('')}`;
}

function textOf(part: unknown): string[] {
  if (part === undefined || part === null || part === '') return [];
  return [typeof part === 'string' ? part : JSON.stringify(part)];
}

/** A cell's input alone, everything else as JSON. */
function sideText(side: unknown): string {
  if (typeof side !== 'object' || side === null) return oneLine(JSON.stringify(side));
  const members: unknown[] = Object.values(side);
  const [only, ...more] = members;
  const isText = 'input' in side || 'formula' in side;
  if (!isText || more.length > 0 || only === null || typeof only === 'object') {
    return JSON.stringify(side);
  }
  return oneLine(typeof only === 'string' ? only : JSON.stringify(only));
}

function oneLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}
