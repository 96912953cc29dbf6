import { writeFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import process from 'node:process';

/** Summary of one or several measurements in one unit. */
export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly count: number;
}

/** One line of a report. */
export interface Figure {
  readonly subject: string;
  readonly measure: string;
  readonly unit: string;
  readonly quire: Summary;
  readonly peer?: { readonly name: string } & Summary;
  /** Time, or another unit, of the peer divided by Quire's. */
  readonly ratio?: number;
  /** Limit of the figure, if there is one. */
  readonly due?: string;
  readonly isMet?: boolean;
  /** Reason why a figure of a peer is missing. */
  readonly note?: string;
}

export interface Report {
  readonly bench: string;
  readonly machine: string;
  readonly takenAt: string;
  readonly figures: readonly Figure[];
}

export function summarise(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle] ?? Number.NaN;
  return {
    median: (upper + lower) / 2,
    least: sorted[0] ?? Number.NaN,
    most: sorted.at(-1) ?? Number.NaN,
    count: sorted.length,
  };
}

/** Returns a summary of a figure without samples, such as a rate. */
export function once(value: number): Summary {
  return { median: value, least: value, most: value, count: 1 };
}

export function makeReport(bench: string, figures: readonly Figure[]): Report {
  return { bench, machine: describeMachine(), takenAt: new Date().toISOString(), figures };
}

function describeMachine(): string {
  const cores = cpus();
  const model = cores[0]?.model.trim() || 'unknown processor';
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const system = `${type()} ${release().split('-')[0] ?? ''}`;
  return `${cores.length} x ${model}, ${memoryGiB} GiB, ${system}, Node ${process.versions.node}`;
}

/** A line of output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export async function writeReport(report: Report, path: string): Promise<void> {
  await writeFile(path, `${JSON.stringify(report, undefined, 1)}\n`);
}

const headings = [
  '',
  'measure',
  'unit',
  'quire',
  'spread',
  'peer',
  'spread',
  'ratio',
  'due',
  'met',
  'beside',
  'note',
];

export function printReport({ bench, machine, figures }: Report): void {
  const rows = [headings, ...figures.map(cellsOf)];
  const widths = headings.map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const used = headings.map((_, column) => figures.some((one) => cellsOf(one)[column] !== ''));
  say(`\n${bench}: medians, spread from the least to the most\n${machine}\n`);
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    say(cells.filter((_, column) => used[column]).join('  '));
  }
}

function cellsOf(line: Figure): string[] {
  const { subject, measure, unit, quire, peer, ratio, due = '', isMet, note = '' } = line;
  return [
    subject,
    measure,
    unit,
    ...summaryCells(quire),
    ...summaryCells(peer),
    ratio === undefined ? '' : `${figure(ratio)}x`,
    due,
    isMet === undefined ? '' : isMet ? 'yes' : 'no',
    peer?.name ?? '',
    note,
  ];
}

function summaryCells(summary: Summary | undefined): [median: string, spread: string] {
  return summary === undefined ? ['', ''] : [figure(summary.median), spread(summary)];
}

function spread({ least, most, count }: Summary): string {
  return count === 1 ? 'once' : `${figure(least)}..${figure(most)}`;
}

/** Returns a number with three significant digits, without an exponent. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return '?';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 1e-6))));
  return value.toFixed(Math.min(digits, 4));
}
