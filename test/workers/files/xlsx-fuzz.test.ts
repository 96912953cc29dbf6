import { readFileSync } from 'node:fs';
import { unzipSync, zipSync } from 'fflate';
import t from 'tap';
import { operationSchema } from '../../../server/model/operation.ts';
import { importFile } from '../../../workers/files/import-file.ts';
import { recordsParts } from '../../support/records-file.ts';
import { zipParts } from '../../support/workbook-file.ts';

const folder = new URL('../../../../test/workbooks/', import.meta.url);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 60);
const slowest = 10_000;

/** mulberry32: small, and the same numbers for the same seed everywhere. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function flip(bytes: Uint8Array, random: () => number): void {
  const count = 1 + Math.floor(random() * 8);
  for (let index = 0; index < count; index++) {
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  }
}

function outcome(bytes: Uint8Array): string {
  const start = performance.now();
  const result = importFile(bytes, { format: 'xlsx' });
  if (performance.now() - start > slowest) throw new Error('the import took too long');
  return result.ok ? 'read' : result.code;
}

t.test(`flipped bytes of an archive never crash the reader (FUZZ_SEED=${seed})`, (t) => {
  const random = randomFrom(seed);
  const whole = readFileSync(new URL('gantt_project_tracker.xlsx', folder));
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const bytes = new Uint8Array(whole);
    flip(bytes, random);
    seen.add(outcome(bytes));
  }
  t.ok(seen.has('file_broken'), 'damage is noticed');
  t.end();
});

t.test(`flipped bytes inside of the parts never crash the reader (FUZZ_SEED=${seed})`, (t) => {
  const random = randomFrom(seed + 1);
  const parts = unzipSync(readFileSync(new URL('event_calendar.xlsx', folder)));
  const names = Object.keys(parts).filter((name) => /\.(xml|rels)$/.test(name));
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const name = names[Math.floor(random() * names.length)] ?? '';
    const part = new Uint8Array(parts[name] ?? []);
    flip(part, random);
    seen.add(outcome(zipSync({ ...parts, [name]: part }, { level: 1 })));
  }
  t.ok(seen.size > 1, `some are read, some refused: ${[...seen].join(', ')}`);
  t.end();
});

const oddValues = [
  '',
  '0',
  '-1',
  '1e9',
  'NaN',
  '99999999999',
  'A0',
  'XFE1',
  'A1:A2 B1',
  '=',
  '"',
  'x',
];
const recordParts = [
  'worksheets/sheet1',
  'styles',
  'comments1',
  'threadedComments/threadedComment1',
];

/** Gives some attributes and texts odd values, or takes them away. */
function distort(xml: string, random: () => number): string {
  return xml.replaceAll(/(\w+)="([^"<]*)"|>([^<>]+)</g, (whole, name?: string) => {
    if (random() > 0.04) return whole;
    const value = oddValues[Math.floor(random() * oddValues.length)] ?? '';
    const escaped = value.replaceAll('"', '&quot;');
    if (name === undefined) return `>${escaped}<`;
    return random() < 0.3 ? '' : `${name}="${escaped}"`;
  });
}

t.test(`odd records make operations that a client could send, or none (FUZZ_SEED=${seed})`, (t) => {
  const random = randomFrom(seed + 2);
  const parts = recordsParts();
  const counts = { read: 0, refused: 0, operations: 0 };
  for (let round = 0; round < rounds * 5; round++) {
    const name = `xl/${recordParts[Math.floor(random() * recordParts.length)] ?? ''}.xml`;
    const part = parts[name];
    if (typeof part !== 'string') throw new Error(`there is no part ${name}`);
    const odd = zipParts({ ...parts, [name]: distort(part, random) });
    const result = importFile(odd, { format: 'xlsx' });
    if (!result.ok) {
      counts.refused++;
      continue;
    }
    counts.read++;
    for (const operation of result.operations) {
      counts.operations++;
      const { success, error } = operationSchema.safeParse(operation);
      if (!success) t.fail(`${JSON.stringify(operation)}: ${error.message}`);
    }
  }
  t.comment(JSON.stringify(counts));
  t.ok(counts.read > 100 && counts.operations > 1_000);
  t.end();
});
