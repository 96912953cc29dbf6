import * as fc from 'fast-check';
import t from 'tap';

import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

/**
 * The kernel's patterns beside those of the JavaScript engine, in what both dialects share. They
 * differ in what a group holds after a turn of a loop without it, so no group is referred to, and
 * in turns that match nothing, so every turn of a loop begins with a character.
 */
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const fuel = 1e9;

interface Question {
  readonly pattern: string;
  readonly text: string;
}

const piece = fc.constantFrom(
  'a',
  'b',
  'c',
  '.',
  '\\d',
  '\\w',
  '\\W',
  '\\s',
  '[ab]',
  '[^a]',
  '[b-c1]',
  '[^\\d\\s]',
  '1',
  ' ',
  '\\b',
  '\\B',
  '^',
  '$',
  '\\x61',
  '[\\]a-]',
  'é',
  '\\.',
);
const character = fc.constantFrom('a', 'b', '.', String.raw`\w`, '[^a]');
const repeat = fc.constantFrom(
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '{2}',
  '{1,2}',
  '{0,3}',
  '{2,}',
  '*?',
  '+?',
  '??',
);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    piece,
    fc
      .tuple(piece, repeat)
      .map(([one, times]) => (/^(?:\\[bB]|\^|\$)$/u.test(one) ? one : one + times)),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(character, tie('pattern'), repeat)
      .map(([first, inside, times]) => `(${first}(?:${inside}))${times}`),
    tie('pattern').map((inside) => `(?=${inside})`),
    tie('pattern').map((inside) => `(?!${inside})`),
    fc.constantFrom('(?<=a)', '(?<!b)', '(?<=[ab]c|1)', '(?<!\\d\\d)'),
  ),
}));
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '.', 'A', 'é', '\n'),
  maxLength: 12,
});
const question = fc.record({ pattern, text });

/** Every match, and where the matches were replaced. */
function wanted({ pattern: source, text: within }: Question, flags: string): unknown[] {
  const regex = new RegExp(source, `gu${flags}`);
  const found = [...within.matchAll(regex)].map(([match]) => match);
  return [found.length > 0, found.join('|') || undefined, within.replaceAll(regex, '<$$>')];
}

function formulas({ pattern: source, text: within }: Question, sensitivity: number): string[] {
  // The end of the text: in PCRE `$` also stands before a last line feed.
  const [p, s] = [source.replaceAll('$', String.raw`\z`), within].map(
    (one) => `"${one.replaceAll('"', '""')}"`,
  );
  return [
    `=REGEXTEST(${s},${p},${sensitivity})`,
    `=TEXTJOIN("|",FALSE,REGEXEXTRACT(${s},${p},1,${sensitivity}))`,
    `=REGEXREPLACE(${s},${p},"<$$>",0,${sensitivity})`,
  ];
}

function evaluate(rows: readonly string[][]): unknown[][] {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Sheet1', index: 0 },
    {
      kind: 'block',
      sheet: 1,
      row: 0,
      column: 0,
      inputs: rows.map((row) => row.map((formula) => ({ formula }))),
    },
  ]);
  while (!kernel.recalculate(now, fuel));
  const area = { row0: 0, column0: 0, row1: rows.length - 1, column1: (rows[0]?.length ?? 1) - 1 };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm });
}

t.test('patterns find what those of JavaScript find', async () => {
  fc.assert(
    fc.property(fc.array(question, { minLength: 1, maxLength: 20 }), (questions) => {
      for (const [sensitivity, flags] of ['', 'i'].entries()) {
        const found = evaluate(questions.map((one) => formulas(one, sensitivity)));
        for (const [index, one] of questions.entries()) {
          const [has, all, replaced] = wanted(one, flags);
          const expected = [has, has === true ? (all ?? '') : { error: '#N/A' }, replaced];
          if (JSON.stringify(found[index]) !== JSON.stringify(expected)) {
            const told = [found[index], expected].map((some) => JSON.stringify(some)).join(' for ');
            throw new Error(`${JSON.stringify(one)} ${flags}: ${told}`);
          }
        }
      }
    }),
    { numRuns: 300 },
  );
});

t.test('a pattern with too many ways ends with an error', async (t) => {
  const long = 'a'.repeat(60);
  const [found] = evaluate([
    [`=REGEXTEST("${long}","(a+)+$|(a|aa)*b")`, `=REGEXTEST("${long}","^(a+)+b")`],
  ]);
  t.same(found, [true, { error: '#NUM!' }]);
});

t.test('patterns say what PCRE has beyond those of JavaScript', async (t) => {
  const cases: [formula: string, value: unknown][] = [
    ['=REGEXEXTRACT("a😀b","a.b")', 'a😀b'],
    ['=REGEXEXTRACT("x😀😀y","😀+")', '😀😀'],
    ['=REGEXEXTRACT("x😀y","[^x]")', '😀'],
    ['=REGEXEXTRACT("x😀y","\\x{1F600}")', '😀'],
    ['=REGEXEXTRACT("aaab","a++b")', 'aaab'],
    ['=REGEXTEST("aaa","a++a")', false],
    ['=REGEXTEST("aaa","(?>a+)a")', false],
    ['=REGEXEXTRACT("foobar","foo\\Kbar")', 'bar'],
    ['=REGEXEXTRACT("2024-05","(?<y>\\d+)-(?P<m>\\d+)",2)', '2024'],
    ['=REGEXREPLACE("2024-05","(?<y>\\d+)-(?<m>\\d+)","${m}/${y}$$")', '05/2024$'],
    ['=REGEXREPLACE("a1b2c3","\\d","-",2)', 'a1b-c3'],
    ['=REGEXREPLACE("a1b2c3","\\d","-",-1)', 'a1b2c-'],
    ['=REGEXREPLACE("a1b2","\\d","-",5)', 'a1b2'],
    ['=REGEXREPLACE("ab","(a)","$2")', { error: '#VALUE!' }],
    ['=REGEXTEST("ABBA","(.)(.)\\2\\1")', true],
    ['=REGEXTEST("ABba","(?i)(.)(.)\\g{-1}\\g1")', true],
    ['=REGEXTEST("abc","A(?i)B(?-i)c")', false],
    ['=REGEXTEST("aBc","a(?i:b)c")', true],
    ['=REGEXTEST("a.c","\\Qa.c\\E")', true],
    ['=REGEXTEST("abc","\\Qa.c\\E")', false],
    ['=REGEXTEST("ab12","^[[:alpha:]]+[[:digit:]]+$")', true],
    ['=REGEXTEST("ab","^[[:^alpha:]]")', false],
    ['=REGEXTEST("ab","(?x) a  b # both")', true],
    ['=REGEXEXTRACT("<<x>","(<)?(<x)(?(1)>|!)")', '<<x>'],
    ['=REGEXTEST("abc","(?<=a|ab)c")', true],
    ['=REGEXTEST("a"&CHAR(10)&"b","a$")', false],
    ['=REGEXTEST("a"&CHAR(10)&"b","(?m)a$")', true],
    ['=REGEXTEST("a"&CHAR(10),"a$")', true],
    ['=REGEXTEST("a"&CHAR(10),"a\\z")', false],
    ['=REGEXTEST("a"&CHAR(10)&"b","a.b")', false],
    ['=REGEXTEST("a"&CHAR(10)&"b","(?s)a.b")', true],
    ['=REGEXTEST("a"&CHAR(13)&CHAR(10)&"b","a\\Rb")', true],
    ['=REGEXEXTRACT("b","(a)?b",2)', ''],
    ['=REGEXEXTRACT("b","b",2)', { error: '#N/A' }],
    ['=REGEXEXTRACT("b","a")', { error: '#N/A' }],
    ['=REGEXEXTRACT("b","b",3)', { error: '#VALUE!' }],
    ['=REGEXTEST("ABC","abc",1)', true],
    ['=REGEXTEST("ABC","abc",2)', { error: '#VALUE!' }],
    ['=REGEXTEST("a{2","a{2")', true],
    ['=REGEXTEST("aa","^a{,2}$")', true],
    ['=XLOOKUP("^b",{"ab","bc"},{1,2},,3)', 2],
    ['=XMATCH("B",{"ab","bB"},3)', 2],
    ['=XMATCH("a",{"ab","ba"},3,-1)', 2],
    ['=XMATCH("(",{"ab","ba"},3)', { error: '#VALUE!' }],
    ...[
      '(',
      ')',
      'a)',
      '[a',
      '*',
      'a**',
      'a{2,1}',
      '(?<n',
      '\\',
      '(?z)',
      '[b-a]',
      '\\1',
      '(?<=a*)b',
    ].map((bad): [string, unknown] => [`=REGEXTEST("a","${bad}")`, { error: '#VALUE!' }]),
  ];
  const found = evaluate(cases.map(([formula]) => [formula]));
  for (const [index, [formula, value]] of cases.entries()) t.same(found[index], [value], formula);
});
