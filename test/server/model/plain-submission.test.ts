import * as fc from 'fast-check';
import t from 'tap';

import { submissionSchema } from '../../../server/model/operation.ts';
import { isPlainSubmission } from '../../../server/model/plain-submission.ts';

const text = fc.oneof(fc.string({ maxLength: 3 }), fc.constant('x'.repeat(300)));
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ error: '#N/A' }));
const cell = fc.oneof(
  fc.record(
    { a1: fc.oneof(text, odd), input: odd, fmt: fc.oneof(text, odd) },
    { requiredKeys: [], noNullPrototype: true },
  ),
  fc.record(
    { a1: fc.constant('B2'), input: fc.integer(), expect: odd, more: odd },
    {
      requiredKeys: ['a1', 'input'],
      noNullPrototype: true,
    },
  ),
);
const payload = fc.record(
  { sheet: fc.oneof(text, odd), cells: fc.array(cell, { maxLength: 2 }), raw: odd },
  { requiredKeys: ['cells'], noNullPrototype: true },
);
const operation = fc.record(
  { id: fc.oneof(text, odd), kind: fc.constantFrom('cells.set', 'sheet.add'), payload },
  { requiredKeys: ['payload'], noNullPrototype: true },
);
const submission = fc.record(
  { ops: fc.array(operation, { maxLength: 2 }), writer: fc.oneof(text, odd), baseSeq: odd },
  { requiredKeys: ['ops'], noNullPrototype: true },
);

t.test('what is plain passes the schema and comes out of it unchanged', (t) => {
  let plainCount = 0;
  fc.assert(
    fc.property(submission, (value) => {
      if (!isPlainSubmission(value)) return;
      plainCount++;
      t.strictSame(submissionSchema.parse(value), value);
    }),
    { numRuns: 20_000 },
  );
  t.ok(plainCount > 50, `${plainCount} were plain`);
  t.end();
});

t.test('what nearly all clients send is plain', (t) => {
  const cells = [
    { a1: 'A1', input: '=B1+1', fmt: '0.00' },
    { a1: 'A2', input: null },
  ];
  const op = { id: '01HZX3Q3W6M5W7T5ZK4J3Q9X7V', kind: 'cells.set', payload: { cells } };
  t.ok(isPlainSubmission({ writer: 'me', ops: [op] }));
  t.notOk(isPlainSubmission({ writer: 'me', ops: [{ ...op, kind: undefined }] }));
  t.notOk(isPlainSubmission([]));
  t.end();
});
