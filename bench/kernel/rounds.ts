import { compareBooks } from './compare.ts';
import { collectGarbage, heapBytes, type Engine } from './engine.ts';
import { countFormulas, type Scenario } from './workload.ts';

const smallEditsMost = 20;
/** Time of small edits, after which an engine that recalculates everything does no more. */
const smallEditMillisecondsMost = 1_000;

/** Figures of one round on a new book: milliseconds, and bytes per formula. */
export interface Sample {
  readonly build: number;
  readonly full: number;
  readonly small: number;
  readonly bytes: number;
}

/**
 * Compares results after the build and after each kind of edit: figures for wrong results mean
 * nothing.
 */
export function compareResults(
  scenario: Scenario,
  [first, second]: readonly [Engine, Engine],
): void {
  const { sheets } = scenario;
  const books = [first.build(sheets), second.build(sheets)] as const;
  compareBooks(sheets, books);
  for (const edit of [scenario.fullEdit(1), scenario.smallEdit(1)]) {
    for (const book of books) book.edit(edit);
    compareBooks(sheets, books);
  }
  for (const book of books) book.close();
}

export async function sampleOf(scenario: Scenario, engine: Engine, round: number): Promise<Sample> {
  const bytesBefore = await heapBytes();
  const buildStarted = performance.now();
  const book = engine.build(scenario.sheets);
  const build = performance.now() - buildStarted;
  const bytes = (await heapBytes()) - bytesBefore + book.outsideBytes;

  const fullEdit = scenario.fullEdit(round * 2 + 1);
  const fullStarted = performance.now();
  book.edit(fullEdit);
  const full = performance.now() - fullStarted;

  const edits = Array.from({ length: smallEditsMost }, (_, index) =>
    scenario.smallEdit(round * smallEditsMost + index + 1),
  );
  collectGarbage();
  let editCount = 0;
  let editMilliseconds = 0;
  const smallStarted = performance.now();
  for (const edit of edits) {
    book.edit(edit);
    editCount++;
    editMilliseconds = performance.now() - smallStarted;
    if (editMilliseconds > smallEditMillisecondsMost) break;
  }
  book.close();
  const small = editMilliseconds / editCount;
  return { build, full, small, bytes: bytes / countFormulas(scenario.sheets) };
}
