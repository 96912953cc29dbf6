import * as fc from 'fast-check';
import { Packr } from 'msgpackr';
import t from 'tap';
import { z } from 'zod';

import { Failure } from '../../../server/model/failure.ts';
import { faultsOf } from '../../../server/model/schema/compile.ts';
import { Walk } from '../../../server/model/schema/walk.ts';
import { creationSchema } from '../../../server/model/creation-schema.ts';
import { submissionSchema } from '../../../server/model/operation.ts';
import { openBody, type BodyFormat } from '../../../workers/bodies/body-source.ts';
import { checkSpans } from '../../../workers/bodies/check-spans.ts';
import { Assembly, piecesOf } from '../../../workers/bodies/pieces.ts';

const packr = new Packr({ useRecords: false });
const formats: readonly BodyFormat[] = ['json', 'msgpack'];

function written(value: unknown, format: BodyFormat): Buffer {
  return format === 'json' ? Buffer.from(spaced(value)) : packr.pack(value);
}

/** JSON with space wherever there may be some. */
function spaced(value: unknown): string {
  return ` ${JSON.stringify(value, null, 1)}\r\n\t`;
}

const text = fc.constantFrom('', 'a', 'A1', 'é\u{1f600}', '"\\/\n', '\u2028', 'x'.repeat(40));
const leaf = fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

t.test('a value in pieces of any size is the same value', async (t) => {
  fc.assert(
    fc.property(anyValue, fc.integer({ min: 1, max: 60 }), (value, most) => {
      for (const format of formats) {
        const source = openBody(written(value, format), format, 'cells');
        const assembly = new Assembly();
        for (const piece of piecesOf(source, source.whole, most)) assembly.add(piece);
        t.same(assembly.value, JSON.parse(JSON.stringify(value)));
      }
    }),
    { numRuns: 500 },
  );
});

const submission = fc.record({
  ops: fc.array(
    fc.record({
      kind: fc.constantFrom(
        'cells.set',
        'range.set',
        'range.clear',
        'rows.import',
        'rows.move',
        'x',
      ),
      payload: fc.dictionary(
        fc.constantFrom('sheet', 'cells', 'range', 'inputs', 'table', 'rows', 'from', 'keys', 'a'),
        fc.oneof(anyValue, fc.array(fc.array(leaf, { maxLength: 3 }), { maxLength: 3 })),
      ),
    }),
    { maxLength: 4 },
  ),
  writer: fc.oneof(text, fc.integer()),
});

t.test('a body is refused slice by slice for what it is refused for as a whole', async (t) => {
  fc.assert(
    fc.property(submission, fc.integer({ min: 1, max: 200 }), (value, most) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      for (const format of formats) {
        const source = openBody(written(plain, format), format, 'cells');
        const walk = new Walk();
        checkSpans(submissionSchema, source, walk, most);
        const whole = faultsOf(submissionSchema, plain);
        t.equal(walk.faults.length > 0, whole.faults.length > 0);
        const pointers = new Set(whole.faults.map(({ pointer }) => pointer));
        const known = walk.faults.filter(({ pointer }) => pointers.has(pointer));
        if (whole.faults.length < 20)
          t.equal(known.length, walk.faults.length, 'at the same places');
      }
    }),
    { numRuns: 500 },
  );
});

t.test('a list that is too long is refused for its length', async (t) => {
  const schema = z.strictObject({ list: z.array(z.int()).max(100) });
  const source = openBody(Buffer.from(`{"list":[${Array(1000).fill(1).join()}]}`), 'json', 'cells');
  const walk = new Walk();
  checkSpans(schema, source, walk, 16);
  t.match(walk.faults, [{ pointer: '/list', code: 'too_big', message: /at most 100 items.*1000/ }]);
});

t.test('a member is not taken twice, in whatever slice it comes again', async (t) => {
  const bodies = [
    '{"ops":[],"ops":[]}',
    '{"ops":[{"kind":"sheet.add","kind":"sheet.add","payload":{"name":"S"}}]}',
    `{"sheets":[{"name":"S","rows":[[1]],"rows":[[2]]}]}`,
  ];
  for (const body of bodies) {
    const schema = body.includes('sheets') ? creationSchema : submissionSchema;
    for (const most of [4, 30, 1000]) {
      const refuse = (): void =>
        checkSpans(schema, openBody(Buffer.from(body), 'json', 'cells'), new Walk(), most);
      t.throws(refuse, Failure);
    }
  }
});

t.test('U+0000 is refused wherever it stands, half a pair where it would be changed', async (t) => {
  const bodies = ['{"a":["x\\u0000"]}', '{"a\\u0000":1}', '"\\u0000"', '{"a":{"b":"\\u0000"}}'];
  for (const body of bodies) {
    for (const rule of ['unicode', 'cells'] as const) {
      const value: unknown = JSON.parse(body);
      for (const format of formats) {
        const bytes = format === 'json' ? Buffer.from(body) : packr.pack(value);
        const source = openBody(bytes, format, rule);
        t.throws(() => source.value(source.whole), { message: /U\+0000/ }, body);
      }
    }
  }
  const half = Buffer.from('{"a":"\\ud800"}');
  const strict = openBody(half, 'json', 'unicode');
  t.throws(() => strict.value(strict.whole), { message: /^\/a: This has half/ });
  const lax = openBody(half, 'json', 'cells');
  t.same(lax.value(lax.whole), { a: '\uFFFD' });
  const halves = [
    ['"\\ud83d\\ude00\\udc00\\ud83d"', '\u{1f600}\uFFFD\uFFFD'],
    ['"\\\\ud800"', '\\ud800'],
    ['"\\\\\\ud800é"', '\\\uFFFDé'],
    ['"\\uD800\\ud800\\uDFFF\\u0041"', '\uFFFD\u{103ff}A'],
  ];
  for (const [body = '', text] of halves) {
    const source = openBody(Buffer.from(body), 'json', 'cells');
    t.same(source.value(source.whole), text);
    t.equal(JSON.parse(source.text(source.whole)), text, 'also where it goes on as a text');
  }
  const pair = openBody(Buffer.from('{"a":"\\ud83d\\ude00\\u00e9"}'), 'json', 'unicode');
  t.same(pair.value(pair.whole), { a: '\u{1f600}é' });
});
