import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { readSources, root } from './support/sources.ts';

/** The words of comments, and docs/words.md, which explains the words of the code. */

/** A line of a comment that begins with a pronoun or a relation, and so has no subject. */
const subjectless = /^\s*(?:\/\*\*|\*|\/\/) (?:What|Who|Whether|One that|Those|The one|Of|Then)\b/;

const sources = await readSources();

t.test('comments have a subject', async (t) => {
  const found = sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (subjectless.test(line) ? [`${path}:${index + 1}`] : [])),
  );
  t.same(found, []);
});

t.test('docs/words.md names files that are there, each word once and in order', async (t) => {
  const page = await readFile(join(root, 'docs/words.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| (?!word |-)/.test(line));
  t.ok(rows.length > 40, 'the table is found');
  const words = rows.map((row) => row.split('|')[1]?.trim() ?? '');
  t.same(words, [...new Set(words)].toSorted());
  const paths = rows.flatMap((row) =>
    [...row.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map((match) => match[1] ?? ''),
  );
  const missing: string[] = [];
  for (const path of new Set(paths)) {
    await access(join(root, path)).catch(() => missing.push(path));
  }
  t.same(missing, []);
});
