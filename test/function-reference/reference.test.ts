import { readFileSync } from 'node:fs';
import t from 'tap';

import { argumentCounts, readSignatures } from '../support/function-signatures.ts';
import { readFunctionTable } from '../support/function-table.ts';
import { functionReference } from './reference.ts';

const file = new URL('../../../docs/formula-functions.md', import.meta.url);

t.test('every function of the registry has a signature, and the other way', (t) => {
  const registered = readFunctionTable().map(({ name }) => name);
  t.ok(registered.length > 500, `${registered.length} functions`);
  t.same(
    readSignatures().map(({ name }) => name),
    registered.toSorted(),
    'in the order of the alphabet',
  );
  t.end();
});

t.test('signatures have as many arguments as the kernel takes', (t) => {
  const counts = new Map(readSignatures().map((row) => [row.name, argumentCounts(row.arguments)]));
  for (const { name, fewest, most } of readFunctionTable()) {
    const written = counts.get(name) ?? { fewest: -1, most: -1 };
    // Pairs and a name's value end below 255; what is written as `...` is open.
    const isOpen = most > 250 && written.most === 255;
    t.same(written, { fewest, most: isOpen ? 255 : most }, name);
  }
  t.end();
});

t.test('every function has an example', (t) => {
  const lines = functionReference().split('\n');
  t.same(
    lines.filter((line) => line.includes('no example')),
    [],
  );
  t.end();
});

t.test('docs/formula-functions.md is what `npm run functions-doc` writes', (t) => {
  t.equal(readFileSync(file, 'utf8'), functionReference());
  t.end();
});
