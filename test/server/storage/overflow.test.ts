import { randomBytes } from 'node:crypto';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { Overflow } from '../../../server/storage/overflow.ts';

const limits = { fileBytes: 100, keyBytes: 150, allBytes: 200 };

function overflowIn(directory: string) {
  const errors: unknown[] = [];
  const report = (_step: string, error: unknown): void => void errors.push(error);
  return { errors, overflow: new Overflow({ directory, report, limits }) };
}

t.test('bytes are taken in the order in which they were appended', async (t) => {
  const directory = join(t.testdir(), 'overflow');
  const { overflow, errors } = overflowIn(directory);
  const file = overflow.file('a');
  const [one, two] = [randomBytes(40), randomBytes(30)];
  t.equal(await file.append(one), true);
  t.equal(await file.append(two), true);
  t.equal(file.waitingBytes, 70);
  const taken = [await file.take(50), await file.take(50), await file.take(50)];
  t.same(Buffer.concat(taken), Buffer.concat([one, two]));
  t.same(
    taken.map(({ length }) => length),
    [50, 20, 0],
  );
  t.same(await readdir(directory), [], 'the file has no name');
  t.equal(overflow.bytes, 70);
  await file.clear();
  t.equal(overflow.bytes, 0);
  t.equal(await file.append(two), true, 'the next byte begins a new file');
  t.same(Buffer.from(await file.take(50)), two);
  t.same(errors, []);
});

t.test('a file, a key and all together have a limit', async (t) => {
  const { overflow } = overflowIn(t.testdir());
  const [one, two, other] = [overflow.file('a'), overflow.file('a'), overflow.file('b')];
  t.equal(await one.append(randomBytes(101)), false, 'more than a file may hold');
  t.equal(await one.append(randomBytes(100)), true);
  t.equal(await two.append(randomBytes(51)), false, 'more than is left for the key');
  t.equal(await two.append(randomBytes(50)), true);
  t.equal(await other.append(randomBytes(51)), false, 'more than is left for all');
  t.equal(await other.append(randomBytes(50)), true);
  await one.clear();
  t.equal(await two.append(randomBytes(50)), true, 'there is room again');
});

t.test('a disk that takes nothing refuses, and is told of', async (t) => {
  const directory = t.testdir();
  await writeFile(join(directory, 'overflow'), 'no folder');
  const { overflow, errors } = overflowIn(join(directory, 'overflow'));
  const file = overflow.file('a');
  t.equal(await file.append(randomBytes(1)), false);
  t.match(errors, [{ code: /EEXIST|ENOTDIR/u }]);
  t.equal(overflow.bytes, 0);
  await chmod(directory, 0o700);
});
