import { array, assert, constantFrom, property } from 'fast-check';
import t from 'tap';

import { localPath } from '../../../server/identity/site/form.ts';

const site = 'https://books.example';

t.test('a path of this site is kept', async (t) => {
  for (const path of [
    '/agents',
    '/',
    '/a/b?c=d',
    '/oauth2/authorize?redirect_uri=https%3A%2F%2Fx',
  ]) {
    t.equal(localPath(path, site), path);
  }
  t.equal(localPath('/a/../b', site), '/b');
});

t.test('a path that becomes a host once dots are resolved is not gone to', async (t) => {
  for (const path of [
    '//evil.example/x',
    '/.//evil.example/x',
    '/..//evil.example/x',
    '/%2e//evil.example/x',
    '/%2E%2e//evil.example/x',
    '/a/..//evil.example/x',
    '/a/b/../..//evil.example',
    '/././/evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//',
    '///',
    undefined,
    null,
    '',
  ]) {
    t.equal(localPath(path, site), '/agents', String(path));
  }
});

t.test('wherever it leads, a browser stays at this site', async (t) => {
  const piece = constantFrom('/', '.', '..', '%2e', '\\', 'evil.example', '@', ':', '?', '#', 'a');
  assert(
    property(array(piece, { maxLength: 9 }), (pieces) => {
      const path = localPath(`/${pieces.join('')}`, site);
      return new URL(path, site).origin === site && new URL(path, `${site}/x/y`).origin === site;
    }),
    { numRuns: 5_000 },
  );
  t.pass();
});
