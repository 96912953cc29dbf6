import { readFileSync } from 'node:fs';
import t from 'tap';

import { readErrorSections } from '../../../server/http/reference/error-pages.ts';
import { failures } from '../../../server/model/failure.ts';
import { rejections } from '../../../server/model/rejection.ts';

t.test('every code has its section in docs/errors.md, and every section its code', async (t) => {
  const url = new URL('docs/errors.md', import.meta.resolve('#package.json'));
  const sections = readErrorSections(readFileSync(url, 'utf8'));
  const codes = Object.values(failures).map(({ code }) => code);
  t.same([...sections.keys()].toSorted(), [...codes].toSorted());
  for (const [code, text] of sections) {
    t.ok(text.split('\n\n').length >= 2, `${code} says what it means and what to do next`);
  }
});

t.test('keys are the codes in camel case', async (t) => {
  for (const [key, { code, status }] of Object.entries(failures)) {
    t.equal(
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      code,
    );
    t.ok(status >= 400 && status < 600);
  }
});

t.test('every code of a rejected operation has its section in docs/rejections.md', async (t) => {
  const url = new URL('docs/rejections.md', import.meta.resolve('#package.json'));
  const sections = readErrorSections(readFileSync(url, 'utf8'));
  t.same([...sections.keys()].toSorted(), Object.keys(rejections).toSorted());
  for (const [code, text] of sections) {
    t.equal(text.split('\n\n').length, 2, `${code} says what is wrong and what to do next`);
    t.match(text, /\.$/, `${code} ends with a sentence`);
  }
});
