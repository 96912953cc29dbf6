import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { parse } from 'csv-parse/sync';

import { compareBooks } from '../kernel/compare.ts';
import type { Book, PlainValue } from '../kernel/engine.ts';
import { quireEngine } from '../kernel/quire-engine.ts';
import { sizeName } from '../kernel/run.ts';
import { isFormula, type Cell, type Sheet, type Workload } from '../kernel/workload.ts';
import { once, say, summarise, type Figure } from '../report.ts';

const run = promisify(execFile);
const sizes = [10_000, 100_000];
const rounds = 3;
const conversionMilliseconds = 300_000;
/** Filter for CSV with commas, quotes, UTF-8, all digits, and a file for each sheet. */
const csvFilter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1';

/**
 * Times the whole LibreOffice process that converts the workbook to CSV, and computes it, because
 * the file has no values. No figures if it is not installed.
 */
export async function measureLibreOffice(
  workloads: readonly Workload[],
  sizeMost: number,
): Promise<Figure[]> {
  if (!(await isInstalled())) {
    say('LibreOffice is left out: there is no soffice here');
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'quire-bench-'));
  try {
    const empty = await timeConversions(folder, [{ name: 'Sheet1', rows: [[1]] }]);
    const figures: Figure[] = [
      { ...labels('nothing to compute'), quire: once(Number.NaN), peer: named(empty) },
    ];
    for (const workload of workloads) {
      for (const size of sizes.filter((each) => each <= sizeMost)) {
        figures.push(await measure(folder, workload, size));
      }
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isInstalled(): Promise<boolean> {
  try {
    await run('soffice', ['--version']);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

async function measure(folder: string, workload: Workload, size: number): Promise<Figure> {
  const { sheets } = workload.make(size);
  const started = performance.now();
  const book = quireEngine.build(sheets);
  const quire = once(performance.now() - started);
  const line = { ...labels(`${workload.name} ${sizeName(size)}`), quire };
  try {
    const milliseconds = await timeConversions(folder, sheets);
    compareBooks(sheets, [book, await readConverted(folder, sheets)]);
    return { ...line, peer: named(milliseconds) };
  } catch (error) {
    return { ...line, note: `libreoffice: ${error instanceof Error ? error.message : ''}` };
  }
}

function labels(subject: string) {
  return { subject, measure: 'build; LibreOffice as a whole process', unit: 'ms' };
}

function named(milliseconds: readonly number[]) {
  return { name: 'libreoffice', ...summarise(milliseconds) };
}

async function timeConversions(folder: string, sheets: readonly Sheet[]): Promise<number[]> {
  const file = join(folder, 'book.fods');
  await writeFile(file, flatDocument(sheets));
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`;
  const options = ['--headless', '--convert-to', csvFilter, '--outdir', folder, file];
  const milliseconds: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const started = performance.now();
    await run('soffice', [profile, ...options], { timeout: conversionMilliseconds });
    if (round > 0) milliseconds.push(performance.now() - started);
  }
  return milliseconds;
}

async function readConverted(folder: string, sheets: readonly Sheet[]): Promise<Book> {
  const read: PlainValue[][][] = [];
  for (const { name } of sheets) {
    const text = await readFile(join(folder, `book-${name}.csv`), 'utf8');
    const rows: string[][] = parse(text, { relax_column_count: true });
    read.push(rows.map((cells) => cells.map(valueOf)));
  }
  return {
    edit: () => undefined,
    values: (sheet) => read[sheet] ?? [],
    outsideBytes: 0,
    close: () => undefined,
  };
}

function valueOf(text: string): PlainValue {
  if (text === '') return null;
  if (text === 'TRUE' || text === 'FALSE') return text === 'TRUE';
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/**
 * Returns the workbook as one OpenDocument file, with formulas in the spelling of Excel and without
 * values.
 */
function flatDocument(sheets: readonly Sheet[]): string {
  const tables = sheets.map(({ name, rows }) => {
    const lines = rows.map(
      (cells) => `<table:table-row>${cells.map(cellXml).join('')}</table:table-row>`,
    );
    return `<table:table table:name="${escaped(name)}">${lines.join('\n')}</table:table>`;
  });
  const namespaces = ['office', 'table', 'text'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${namespaces.join(' ')} xmlns:msoxl="http://schemas.microsoft.com/office/excel/formula" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet>${tables.join('\n')}</office:spreadsheet></office:body>
</office:document>
`;
}

function cellXml(cell: Cell): string {
  if (cell === null) return '<table:table-cell/>';
  if (typeof cell === 'number') {
    return `<table:table-cell office:value-type="float" office:value="${cell}"/>`;
  }
  const text = escaped(String(cell));
  if (isFormula(cell)) return `<table:table-cell table:formula="msoxl:${text}"/>`;
  return `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
