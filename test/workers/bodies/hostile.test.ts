import { Packr } from 'msgpackr';
import t from 'tap';

import { Failure } from '../../../server/model/failure.ts';
import { bodyLimits } from '../../../server/model/limits.ts';
import { Walk } from '../../../server/model/schema/walk.ts';
import type { BodyFormat, BodySource, Span } from '../../../workers/bodies/body-source.ts';
import { openBody } from '../../../workers/bodies/body-source.ts';
import { checkSpans } from '../../../workers/bodies/check-spans.ts';
import { wholeRouteTable } from '../../support/route-table.ts';

/** Runs long: thousands of hostile bodies. */

// Cost of refusing a body, counted in bytes that were parsed and values that were looked at.

const packr = new Packr({ useRecords: false });
const routes = wholeRouteTable().filter(({ request }) => request.body !== undefined);

/** A source that counts what is parsed of it. */
class Counted {
  parsedBytes = 0;
  readonly source: BodySource;

  constructor(source: BodySource) {
    const counted = ({ start, end }: Span): Span => {
      this.parsedBytes += end - start;
      return { start, end };
    };
    this.source = {
      key: source.key,
      whole: source.whole,
      valueCount: source.valueCount,
      typeOf: (span) => source.typeOf(span),
      members: (span) => source.members(span),
      items: (span) => source.items(span),
      value: (span) => source.value(counted(span)),
      values: (span) => source.values(counted(span)),
      text: (span, isItems) => source.text(span, isItems),
    };
  }
}

function filled(open: string, item: string, close: string, bytes: number): Buffer {
  const count = Math.floor((bytes - open.length - close.length) / (item.length + 1));
  return Buffer.from(`${open}${Array(count).fill(item).join()}${close}`);
}

function members(bytes: number): Buffer {
  const names: string[] = [];
  for (let length = 2; length < bytes - 16; length += (names.at(-1)?.length ?? 0) + 1) {
    names.push(`"k${names.length}":1`);
  }
  return Buffer.from(`{${names.join()}}`);
}

/** Bodies as large as the route takes, each made of the smallest parts that there are. */
function hostileJson(bytes: number): Readonly<Record<string, Buffer>> {
  const op = '{"ops":[{"kind":"range.set","payload":{"range":"A1","inputs":[';
  const cells = '{"ops":[{"payload":{"cells":[';
  return {
    'empty operations': filled('{"ops":[', '{}', ']}', bytes),
    'empty lists as operations': filled('{"ops":[', '[]', ']}', bytes),
    'empty inputs': filled(op, '{}', ']}}]}', bytes),
    'empty rows of inputs': filled(op, '[{}]', ']}}]}', bytes),
    'empty cells': filled(cells, '{}', ']},"kind":"cells.set"}]}', bytes),
    'rows of empty lists': filled('{"sheets":[{"name":"S","rows":[', '[[]]', ']}]}', bytes),
    'one row of empty lists': filled('{"sheets":[{"name":"S","rows":[[', '[]', ']]}]}', bytes),
    'empty sheets': filled('{"sheets":[', '{}', ']}', bytes),
    'rows of a table': filled(
      '{"ops":[{"kind":"rows.import","payload":{"table":"T","rows":[',
      '0',
      ']}}]}',
      bytes,
    ),
    'empty resolutions': filled('{"resolutions":[', '{}', ']}', bytes),
    'empty groups': filled('{"groups":[', '{}', ']}', bytes),
    'a list of empty lists': filled('[', '[]', ']', bytes),
    'unknown members': members(bytes),
    'a number too many': filled('{"ops":[],"writer":[', '1', ']}', bytes),
  };
}

function hostileMsgpack(bytes: number): Readonly<Record<string, Buffer>> {
  const empty = (type: number, before: Buffer): Buffer => {
    const head = Buffer.alloc(5, 0xdd);
    head.writeUInt32BE(bytes - before.length - 5, 1);
    return Buffer.concat([before, head, Buffer.alloc(bytes - before.length - 5, type)]);
  };
  const map = (name: string): Buffer => Buffer.concat([Buffer.of(0x81), packr.pack(name)]);
  const operation = Buffer.concat([
    map('ops'),
    Buffer.of(0x91, 0x82),
    packr.pack('kind'),
    packr.pack('range.set'),
    packr.pack('payload'),
    Buffer.of(0x82),
    packr.pack('range'),
    packr.pack('A1'),
    packr.pack('inputs'),
  ]);
  return {
    'empty maps': empty(0x80, map('ops')),
    'empty lists': empty(0x90, map('ops')),
    'empty maps as inputs': empty(0x80, operation),
    'empty maps in one row': empty(0x80, Buffer.concat([operation, Buffer.of(0x91)])),
    'empty sheets': empty(0x80, map('sheets')),
    'nothing but maps': empty(0x80, Buffer.alloc(0)),
  };
}

/** Returns the cost of one body, or throws the failure that it ends with before it is looked at. */
function costOf(bytes: Buffer, format: BodyFormat, route: (typeof routes)[number]) {
  const walk = new Walk();
  const { body } = route.request;
  if (body === undefined) throw new Error('a route has no body');
  const counted = new Counted(openBody(bytes, format, route.texts ?? 'unicode'));
  checkSpans(body, counted.source, walk);
  return { walk, parsedBytes: counted.parsedBytes };
}

const sliceBytes = 128 * 1024;
/** Several slices, so that reading it all would be seen. */
const hostileBytes = 1 << 19;

type HostileBody = readonly [format: BodyFormat, what: string, body: Buffer];

/** Bodies by their size, which is that of most routes. */
const made = new Map<number, readonly HostileBody[]>();

function hostileBodies(bytes: number): readonly HostileBody[] {
  const known = made.get(bytes);
  if (known) return known;
  const bodies: HostileBody[] = [
    ...Object.entries(hostileJson(bytes)).map((entry) => ['json', ...entry] as const),
    ...Object.entries(hostileMsgpack(bytes)).map((entry) => ['msgpack', ...entry] as const),
  ];
  made.set(bytes, bodies);
  return bodies;
}

for (const route of routes) {
  const name = `${route.method} ${route.path}`;
  t.test(`${name} refuses at the cost of a slice`, async (t) => {
    const bytes = Math.min(route.bodyLimitBytes ?? bodyLimits.defaultBytes, hostileBytes);
    for (const [format, what, body] of hostileBodies(bytes)) {
      const { walk, parsedBytes } = costOf(body, format, route);
      // Identity routes drop what they do not know.
      if (walk.faults.length === 0) t.ok(route.lenient, `${what} is refused`);
      t.ok(walk.faults.length <= 20, `${what} is told of twenty places at most`);
      t.ok(parsedBytes <= 3 * sliceBytes, `${what}: ${parsedBytes} bytes are parsed`);
      t.ok(walk.stepCount <= sliceBytes, `${what}: ${walk.stepCount} values are looked at`);
    }
  });
}

t.test('what is no body at all is refused with 400', async (t) => {
  const megabytes = 'a'.repeat(1 << 20);
  const texts = [
    `{"name":"${megabytes}","name":"x"}`,
    `{"name":"${megabytes}" "x"}`,
    `{"name":"${megabytes}`,
    `{"${megabytes}":1,"${megabytes}":2}`,
    `{"name":"${'\\u0041'.repeat(500_000)}",}`,
    `{"name":"${'\\n'.repeat(1_000_000)}\u0001"}`,
    '['.repeat(1_000_000),
    `${'{"a":'.repeat(1_000_000)}1`,
    `[${'"'.repeat(1_000_001)}]`,
    `{"ops":[${'1 '.repeat(1_000_000)}]}`,
    `{"ops":[]}${' '.repeat(1_000_000)}x`,
    '',
    ' ',
    '\ufeff',
    'nul',
    '1 2',
  ];
  for (const text of texts) {
    const refusal = refusalOf(Buffer.from(text), 'json');
    t.equal(refusal?.status, 400, text.slice(0, 30));
    t.ok(JSON.stringify([refusal?.detail, refusal?.errors]).length < 1000);
  }
  const lists = Buffer.alloc(1_000_000, 0x91);
  const announced = Buffer.of(0xdd, 0xff, 0xff, 0xff, 0xff);
  const binary = Buffer.of(0x81, 0xa1, 0x61, 0xc4, 0x01, 0x00);
  const extension = Buffer.of(0xd4, 0x01, 0x00);
  const twice = Buffer.of(0x82, 0xa1, 0x61, 0x01, 0xa1, 0x61, 0x02);
  const numbered = Buffer.of(0x81, 0x01, 0x01);
  const bodies = [lists, announced, binary, extension, twice, Buffer.of(0xc1), Buffer.alloc(0)];
  for (const body of [...bodies, Buffer.of(0x01, 0x02), Buffer.of(0xcb, 0x7f, 0xf8)]) {
    t.equal(refusalOf(body, 'msgpack')?.status, 400, body.subarray(0, 8).toString('hex'));
  }
  t.ok(numbered.length > 0);
});

function refusalOf(bytes: Buffer, format: BodyFormat): Failure | undefined {
  try {
    const source = openBody(bytes, format, 'unicode');
    source.value(source.whole);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
