import type { Service } from '../service.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import type { Done } from './groups.ts';
import { loadNamedPositions } from './named-positions.ts';

/** A place on the slider worth to be found. */
export interface HistoryMark {
  readonly seq: number;
  readonly kind: 'version' | 'merge';
  readonly name: string;
}

export interface DayLabel {
  readonly seq: number;
  readonly text: string;
}

export interface HistoryMarks {
  /** In their order. */
  readonly marks: readonly HistoryMark[];
  readonly days: readonly DayLabel[];
}

interface Place {
  readonly book: string;
  readonly branch: string;
  /** Newest operation of the branch. */
  readonly last: number;
}

/** Newest operations that are searched for merges. */
const searchedMost = 1_000;
/** Positions whose days are looked up. */
const dayCount = 5;

/** Returns ticks for named versions and merges of a branch, and the days along its slider. */
export function useHistoryMarks({ book, branch, last }: Place): HistoryMarks | undefined {
  const { service } = useShell();
  // A branch that only grows needs no new marks with each of its operations.
  const length = lengthStep(last);
  const { value } = useLoaded(
    (signal) => loadMarks(service, { book, branch, last }, signal),
    [book, branch, length],
  );
  return value;
}

/** Returns the length of a history without its last digits: 118 and 119 are 110. */
function lengthStep(last: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, last))) - 1);
  return Math.floor(last / step) * step;
}

async function loadMarks(
  service: Service,
  { book, branch, last }: Place,
  signal: AbortSignal,
): Promise<HistoryMarks> {
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
  const page = async (query: string) =>
    (await service.ask<{ ops: readonly Done[] }>(`${path}?payload=false&${query}`, { signal })).ops;
  const sampled = Array.from({ length: dayCount }, (_, index) =>
    Math.max(1, Math.round(1 + ((last - 1) * index) / (dayCount - 1))),
  );
  const [named, newest, ...samples] = await Promise.all([
    loadNamedPositions(service, book, signal),
    page(`before=${Number.MAX_SAFE_INTEGER}&limit=${searchedMost}`),
    ...(last > 0 ? [...new Set(sampled)].map((seq) => page(`after=${seq - 1}&limit=1`)) : []),
  ]);
  const versions = named
    .filter((one) => one.branch === branch)
    .map(({ seq, name }) => ({ seq, kind: 'version' as const, name }));
  const merges = newest
    .filter(({ kind }) => kind === 'merge')
    .map(({ seq, by }) => ({ seq, kind: 'merge' as const, name: `merged by ${by}` }));
  const marks = [...versions, ...merges].toSorted((one, other) => one.seq - other.seq);
  return { marks, days: daysOf(samples.flat()) };
}

/** Returns a label for each operation whose day is another one than that of the label before. */
export function daysOf(ops: readonly Pick<Done, 'seq' | 'at'>[]): readonly DayLabel[] {
  const days: DayLabel[] = [];
  for (const { seq, at } of ops) {
    const text = dayText(new Date(at));
    if (days.at(-1)?.text !== text) days.push({ seq, text });
  }
  return days;
}

function dayText(day: Date): string {
  const isThisYear = day.getFullYear() === new Date().getFullYear();
  const year = isThisYear ? {} : { year: 'numeric' as const };
  return day.toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...year });
}
