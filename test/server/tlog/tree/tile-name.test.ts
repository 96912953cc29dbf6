import * as fc from 'fast-check';
import t from 'tap';

import {
  formatBundlePath,
  formatTilePath,
  parseLogPath,
} from '../../../../server/tlog/tree/tile-name.ts';
import { caseCount } from '../../../support/case-count.ts';

t.test('every index has its groups of three digits', async (t) => {
  const paths = new Map([
    [0, '000'],
    [7, '007'],
    [999, '999'],
    [1000, 'x001/000'],
    [1001, 'x001/001'],
    [999_999, 'x999/999'],
    [1_000_000, 'x001/x000/000'],
    [1_234_067, 'x001/x234/067'],
    [10 ** 9, 'x001/x000/x000/000'],
    [Number.MAX_SAFE_INTEGER, 'x009/x007/x199/x254/x740/991'],
  ]);
  for (const [index, path] of paths) {
    const tile = { level: 0, index, width: 256 };
    t.equal(formatTilePath(tile), `tile/0/${path}`);
    t.same(parseLogPath(`tile/0/${path}`), { kind: 'tile', name: tile });
    const bundle = { index, width: 12 };
    t.equal(formatBundlePath(bundle), `tile/entries/${path}.p/12`);
    t.same(parseLogPath(`tile/entries/${path}.p/12`), { kind: 'bundle', name: bundle });
  }
});

t.test('no other spelling is read', async (t) => {
  const wrong = [
    '',
    'tile',
    'tile/0',
    'tile/0/',
    'tile/0/0',
    'tile/0/00',
    'tile/0/0000',
    'tile/00/000',
    'tile/01/000',
    'tile/-1/000',
    'tile/+1/000',
    'tile/64/000',
    'tile/100/000',
    'tile/0/x000/000',
    'tile/0/x000/x001/000',
    'tile/0/001/000',
    'tile/0/x001',
    'tile/0/x001/x000',
    'tile/0/X001/000',
    'tile/0/x01/000',
    'tile/0/x0001/000',
    'tile/0/x009/x007/x199/x254/x740/992',
    'tile/0/x001/x000/x000/x000/x000/x000/000',
    'tile/0/000.p/0',
    'tile/0/000.p/00',
    'tile/0/000.p/01',
    'tile/0/000.p/256',
    'tile/0/000.p/257',
    'tile/0/000.p/1000',
    'tile/0/000.p/',
    'tile/0/000.p',
    'tile/0/000.p/1.p/1',
    'tile/0/000.p/1/',
    'tile/0/000/',
    'tile/0/000.P/1',
    'tile/0/000 ',
    ' tile/0/000',
    '/tile/0/000',
    'tile//000',
    'tile/0//000',
    'tile/0/000\n',
    'tile/0/%30%30%30',
    'tile/0/000?',
    'tile/0/000#',
    'tile/0/../0/000',
    'tile/entries',
    'tile/entries/0/000',
    'tile/Entries/000',
    'tile/data/000',
    'tile/8/0/000',
    'tile/0/٠٠٠',
    'tile/1e0/000',
    'tile/0/1e2',
    'checkpoint',
  ];
  for (const path of wrong) {
    t.throws(() => parseLogPath(path), { name: 'FormatFault' }, JSON.stringify(path));
  }
});

const place = {
  index: fc.oneof(fc.nat({ max: 3000 }), fc.maxSafeNat()),
  width: fc.integer({ min: 1, max: 256 }),
};

t.test('what is read is written again in the same way', async (t) => {
  fc.assert(
    fc.property(fc.record({ level: fc.nat({ max: 63 }), ...place }), (name) => {
      t.same(parseLogPath(formatTilePath(name)), { kind: 'tile', name });
    }),
    { numRuns: caseCount(300) },
  );
});

t.test('a path with one character changed is another tile or none', async (t) => {
  const arbitrary = fc.tuple(
    fc.record({ level: fc.nat({ max: 63 }), ...place }),
    fc.nat(),
    fc.constantFrom(...Array.from('0123456789xp./-+ %eE\u0660')),
  );
  let readCount = 0;
  fc.assert(
    fc.property(arbitrary, ([name, at, character]) => {
      const path = formatTilePath(name);
      const index = at % path.length;
      const changed = path.slice(0, index) + character + path.slice(index + 1);
      try {
        const read = parseLogPath(changed);
        const again =
          read.kind === 'tile' ? formatTilePath(read.name) : formatBundlePath(read.name);
        readCount++;
        return again === changed;
      } catch (error) {
        return error instanceof Error && error.name === 'FormatFault';
      }
    }),
    { numRuns: caseCount(2_000) },
  );
  t.ok(readCount > 0, 'some changes give another tile');
});
