import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { op, operationKinds } from '../../client/library/quire.ts';
import { operationGuide } from '../../server/model/operation-guide.ts';
import { hashOf, typedDocument } from '../client-types/document.ts';
import { root } from '../support/sources.ts';

const typesBytesMost = 150_000;

t.test('the types of the library are those of the document', async (t) => {
  const text = await readFile(join(root, 'client/library/api.d.ts'), 'utf8');
  const hash = /^\/\/ SHA-256 of what it was made from: (\w+)$/m.exec(text)?.[1];
  t.equal(hash, hashOf(typedDocument()), '`npm run client-types` makes them anew');
  const bytes = Buffer.byteLength(text);
  t.ok(bytes < typesBytesMost, `they have ${bytes} bytes`);
});

t.test('there is a function for every kind of operation', async (t) => {
  t.same(operationKinds.toSorted(), Object.keys(operationGuide).toSorted());
  t.same(Object.keys(op).length, operationKinds.length);
  t.same(op.tableColumnAdd({ table: 'Sales', column: 'Tax' }, { id: 'one' }), {
    id: 'one',
    kind: 'table.column.add',
    payload: { table: 'Sales', column: 'Tax' },
  });
});
