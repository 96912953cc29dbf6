import * as fc from 'fast-check';
import t from 'tap';
import { z } from 'zod';

import {
  operationSchema,
  payloadSchemas,
  submissionSchema,
} from '../../../../server/model/operation.ts';
import { faultsOf } from '../../../../server/model/schema/compile.ts';
import { keepsValue } from '../../../../server/model/schema/definition.ts';
import { bodyFailure } from '../../../../server/model/schema/refusal.ts';

function submission(kind: string, payload: unknown) {
  return { ops: [{ kind, payload }] };
}

function faults(body: unknown) {
  return faultsOf(submissionSchema, body).faults;
}

t.test('looking stops at the twentieth fault, however large the body is', async (t) => {
  const many = 1_000_000;
  const empties = Array.from({ length: many }, () => ({}));
  const members = Object.fromEntries(
    Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]),
  );
  const wrong = Object.fromEntries(Object.keys(members).map((name) => [name, []]));
  const hostile: readonly unknown[] = [
    { ops: empties },
    { ops: Array.from({ length: many }, () => [[]]) },
    { ops: Array(many).fill(null) },
    submission('range.set', { range: 'A1', inputs: empties }),
    submission('range.set', { range: 'A1', inputs: [empties] }),
    submission('cells.set', { cells: empties }),
    submission('rows.move', { sheet: 'S', before: 1, spans: empties }),
    { ops: [], ...members },
    submission('cells.set', { cells: [members] }),
    { ops: [{ kind: 'cells.set', expect: wrong, payload: members }] },
  ];
  for (const body of hostile) {
    const walk = faultsOf(submissionSchema, body);
    t.ok(walk.faults.length > 0 && walk.faults.length <= 20);
    t.ok(walk.stepCount < 200, `${walk.stepCount} steps`);
  }
});

t.test('values of plain types are looked at as the option of a union that they are', async (t) => {
  const keys = z.array(z.union([z.number(), z.string().min(1), z.null()]));
  const values = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? `k${at}` : at));
  const walk = faultsOf(keys, values);
  t.same(walk.faults, []);
  t.equal(walk.stepCount, 1 + 2 * values.length);
  t.same(faultsOf(keys, ['a', null, 1]).faults, []);
  t.match(faultsOf(keys, ['a', '', true]).faults, [{ pointer: '/1' }, { pointer: '/2' }]);
});

t.test('it refuses what zod refuses, and takes what zod takes', async (t) => {
  const leaf = fc.oneof(
    fc.integer({ min: -2, max: 3 }),
    fc.constantFrom('', 'A1', 'A1:B2', 'Sheet1', '=1', 'a', 'table', null, true, 1.5),
    fc.constantFrom({ error: '#N/A' }, { error: 'no' }, {}, [], { hash: 'x' }),
  );
  const names = [...new Set(Object.values(payloadSchemas).flatMap((schema) => namesOf(schema)))];
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  const kinds = Object.keys(payloadSchemas);
  const operation = fc.record({
    kind: fc.constantFrom(...kinds),
    payload: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 }),
  });
  fc.assert(
    fc.property(operation, (body) => {
      const walked = faultsOf(operationSchema, body).faults.length === 0;
      t.equal(walked, operationSchema.safeParse(body).success, JSON.stringify(body));
    }),
    { numRuns: 3000 },
  );
});

function namesOf(schema: z.ZodType): string[] {
  const parts = schema instanceof z.ZodUnion ? schema.options : [schema];
  return parts.flatMap((part) => (part instanceof z.ZodObject ? Object.keys(part.shape) : []));
}

t.test('an unknown member is told what the named kind takes', async (t) => {
  const [fault] = faults(submission('rows.insert', { sheet: 'P', at: 1 }));
  t.equal(fault?.pointer, '/ops/0/payload/at');
  t.equal(
    fault?.message,
    '"at" is not known here. Here "rows.insert" takes sheet (required), before, after, count, inherit.',
  );
  const [row] = faults(submission('rows.insert', { sheet: 'P', row: 1 }));
  t.notMatch(row?.message, /did you mean/);
  const [values] = faults(submission('range.set', { range: 'A1', inputs: [[1]], value: 1 }));
  t.notMatch(values?.message, /did you mean "value"/);
  const [slip] = faults(submission('rows.insert', { sheet: 'P', befor: 1 }));
  t.match(slip?.message, /did you mean "before"\? Here "rows.insert" takes/);
});

t.test('no refusal suggests what it refuses', async (t) => {
  const written = 'at a1 value from to target row values raw cells range sheet table key'.split(
    ' ',
  );
  for (const kind of Object.keys(payloadSchemas)) {
    for (const name of written) {
      const found = faults(submission(kind, { [name]: {} }));
      const unknown = found.filter(({ code }) => code === 'unknown_member');
      for (const { message } of unknown) t.notMatch(message, `did you mean "${name}"`);
    }
  }
});

t.test('a required member that is missing is named', async (t) => {
  const found = faults(submission('rows.insert', {}));
  t.match(found, [
    { pointer: '/ops/0/payload/sheet', message: 'This is missing; it must be a text.' },
  ]);
  const [payload] = faults({ ops: [{ kind: 'sheet.rename' }] });
  t.match(payload, {
    pointer: '/ops/0/payload',
    message: /takes sheet \(required\), name \(required\)/,
  });
});

t.test('a kind that does not exist is told of the likely one', async (t) => {
  const [fault] = faults(submission('cell.set', {}));
  t.match(fault, {
    pointer: '/ops/0/kind',
    code: 'invalid_value',
    message: /Did you mean "cells.set"\?$/,
  });
  const [missing] = faults({ ops: [{}] });
  t.match(missing, {
    pointer: '/ops/0/kind',
    message: /^This is missing; it must be one of "cells.set"/,
  });
});

t.test('what fits no option of a union is told all of them', async (t) => {
  const [fault] = faults(submission('settings.set', { path: 'x', value: [1] }));
  t.equal(
    fault?.message,
    'This must be a number, true or false, a text or null, and is a list. It is: Null sets it back to the default.',
  );
});

t.test('an endless name is answered, and not searched for', async (t) => {
  const [fault] = faults({ ops: [], ['x'.repeat(1_000_000)]: 1 });
  t.ok((fault?.message.length ?? 0) < 300);
  t.ok((fault?.pointer.length ?? 0) < 300);
});

t.test('every message is a sentence of ours that ends with a period or a question', async (t) => {
  const bodies: readonly unknown[] = [
    null,
    [],
    {
      ops: 1,
      mode: 'x',
      baseSeq: -1,
      writer: '',
      group: 'x'.repeat(100),
      return: { changes: 1.5 },
    },
    ...Object.keys(payloadSchemas).flatMap((kind) => [
      submission(kind, null),
      submission(kind, {}),
      submission(kind, { nonsense: 1 }),
      submission(kind, everyMember(kind, [1])),
      submission(kind, everyMember(kind, '')),
      submission(kind, everyMember(kind, -1.5)),
      submission(kind, everyMember(kind, { a: 1 })),
    ]),
  ];
  for (const body of bodies) {
    const found = faults(body);
    for (const { message } of found) {
      t.match(message, /^["A-Z].*[.?]$/su);
      t.notMatch(message, /Invalid |expected|received|must match|\/\^|undefined|NaN|known are/);
      t.notMatch(message, /[a-z] [A-Z][a-z]+ (?:is|takes|must) /);
    }
    if (found.length > 0)
      t.match(bodyFailure({ faults: found }).detail, /^(?:The body|\/\S+): ["A-Z].*[.?]$/su);
  }
});

function everyMember(kind: string, value: unknown): unknown {
  const schema = Object.entries(payloadSchemas).find(([name]) => name === kind)?.[1];
  return Object.fromEntries((schema ? namesOf(schema) : []).map((name) => [name, value]));
}

t.test('a submission is what it was sent as, so nothing is filled in', async (t) => {
  t.ok(keepsValue(submissionSchema));
  t.notOk(keepsValue(z.strictObject({ a: z.int().default(1) })));
  t.notOk(keepsValue(z.object({ a: z.int() })));
});

t.test('a schema that cannot be walked is found out at the start', async (t) => {
  const schema = z.strictObject({ a: z.tuple([z.string()]) });
  t.throws(() => faultsOf(schema, { a: ['x'] }), /cannot be walked/);
});
