import * as fc from 'fast-check';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import { evaluateBeside } from '../support/evaluate-beside.ts';

/**
 * Returns FILTERXML of a text; the tests are about XPath's functions of texts and numbers, and the
 * limits of FILTERXML.
 */
function filter(xml: string, xpath: string): unknown {
  return evaluateBeside([xml, xpath], ['=FILTERXML(A1,B1)'])[0];
}

/** A number as XPath writes it: the fewest digits that say it, and no exponent. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value) || value === 0) return String(value + 0);
  const [digits = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const sign = value < 0 ? '-' : '';
  const point = Number(exponent) + 1;
  const plain = digits.replace('.', '');
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${plain}`;
  const whole = plain.slice(0, point).padEnd(point, '0');
  const rest = plain.slice(point);
  return sign + whole + (rest === '' ? '' : `.${rest}`);
}

/**
 * Returns whether the text found is as good as the expected one: as short, and of the same number.
 */
function isAsGood(found: unknown, expected: string): boolean {
  if (typeof found !== 'string' || found.length !== expected.length) return false;
  return Number(found) === Number(expected) && !found.includes('e');
}

/** Smaller numbers are 0 in a cell, and so they are here. */
function isHeld(value: number): boolean {
  return value === 0 || Math.abs(value) > 1e-307;
}

function readNumber(text: string): number {
  return /^ *-?(?:\d+\.?\d*|\.\d+) *$/u.test(text) ? Number(text) : Number.NaN;
}

function part(text: string, first: number, length: number): string {
  const [from, to] = [Math.round(first), Math.round(first) + Math.round(length)];
  return Array.from(text)
    .filter((_, index) => index + 1 >= from && index + 1 < to)
    .join('');
}

function translated(text: string, from: string, to: string): string {
  const [known, others] = [Array.from(from), Array.from(to)];
  return Array.from(text)
    .map((one) => (known.includes(one) ? (others[known.indexOf(one)] ?? '') : one))
    .join('');
}

function before(text: string, sign: string): string {
  return text.includes(sign) ? text.slice(0, text.indexOf(sign)) : '';
}

function behind(text: string, sign: string): string {
  return text.includes(sign) ? text.slice(text.indexOf(sign) + sign.length) : '';
}

const text = fc
  .array(fc.constantFrom('a', 'b', 'é', '😀', ' ', '-', '1', '.', '2'), { maxLength: 12 })
  .map((all) => all.join(''));
const texts = fc.tuple(text, text, text);
const place = fc.oneof(
  fc.integer({ min: -3, max: 14 }),
  fc.constantFrom(0.5, 1.5, 2.5, -0.5, -1.5, Number.NaN, Infinity, -Infinity),
);

function writePlace(value: number): string {
  if (Number.isNaN(value)) return '(0 div 0)';
  return Number.isFinite(value) ? String(value) : `(${value < 0 ? -1 : 1} div 0)`;
}

t.test('functions of texts give what JavaScript makes of them', async () => {
  fc.assert(
    fc.property(texts, place, place, ([x, y, z], first, length) => {
      const [n, m] = [writePlace(first), writePlace(length)];
      const questions: [xpath: string, expected: string][] = [
        ['concat(@x,@y,@z,@y)', x + y + z + y],
        ['substring-before(@x,@y)', before(x, y)],
        ['substring-after(@x,@y)', behind(x, y)],
        ['string(contains(@x,@y))', String(x.includes(y))],
        ['string(starts-with(@x,@y))', String(x.startsWith(y))],
        ['string(string-length(@x))', String(Array.from(x).length)],
        ['normalize-space(@x)', x.replaceAll(/ +/gu, ' ').trim()],
        ['translate(@x,@y,@z)', translated(x, y, z)],
        [`substring(@x,${n})`, part(x, first, Infinity)],
        [`substring(@x,${n},${m})`, part(x, first, length)],
        ['string(number(@x))', writeNumber(readNumber(x))],
        ['string(@x=@y)', String(x === y)],
        ['string(@x!=@y)', String(x !== y)],
        ['string(@x<@y)', String(readNumber(x) < readNumber(y))],
      ];
      const found = evaluateBeside(
        [`<a x="${x}" y="${y}" z="${z}"/>`, ...questions.map(([xpath]) => inside(xpath))],
        questions.map((_, index) => `=FILTERXML($A1,${'BCDEFGHIJKLMNOP'.charAt(index)}1)`),
      );
      const expected = questions.map(([, one]) => one);
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        throw new Error(`${JSON.stringify(found)} for ${JSON.stringify(expected)}`);
      }
    }),
    { numRuns: caseCount(100) },
  );
});

/** The call as it is seen from the element. */
function inside(xpath: string): string {
  return xpath.replaceAll('@', '/a/@');
}

t.test('numbers are read and written to the last digit', async () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isHeld);
  const small = fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter(isHeld);
  fc.assert(
    fc.property(number, small, (value, other) => {
      const found = evaluateBeside(
        [`<a>${writeNumber(value)}</a>`, `<a>${writeNumber(other)}</a>`],
        [
          '=FILTERXML(A1,"string(number(/a))")',
          '=FILTERXML(B1,"string(floor(/a))")',
          '=FILTERXML(B1,"string(ceiling(/a))")',
          '=FILTERXML(B1,"string(round(/a))")',
          '=FILTERXML(B1,"string(-/a div 3)")',
          '=FILTERXML(B1,"string(/a mod 7)")',
        ],
      );
      const parts = [Math.floor(other), Math.ceil(other), Math.round(other), -other / 3, other % 7];
      const expected = [value, ...parts].map(writeNumber);
      for (const [index, one] of expected.entries()) {
        if (!isAsGood(found[index], one)) throw new Error(`${String(found[index])} for ${one}`);
      }
    }),
    { numRuns: caseCount(150) },
  );
});

const noValue = { error: '#VALUE!' };
const spent = { error: '#NUM!' };
const many = (unit: string, count: number): string => unit.repeat(count);
const wide = `<r>${many('<a/>', 8000)}</r>`;

t.test('what goes too deep is an error, and no trap', async (t) => {
  const cases: [xml: string, xpath: string, expected: unknown][] = [
    [many('<a>', 256) + many('</a>', 256), 'count(//a)', 256],
    [many('<a>', 257) + many('</a>', 257), 'count(//a)', noValue],
    [many('<a>', 4600) + many('</a>', 4600), '//a', noValue],
    [many('<a>', 10_000), '//a', noValue],
    ['<a/>', many('a[', 512), noValue],
    ['<a/>', many('a[', 1000), noValue],
    ['<a/>', `a${many('[a', 341)}${many(']', 341)}`, noValue],
    ['<a/>', `${many('(', 63)}/a${many(')', 63)}`, ''],
    ['<a/>', `${many('(', 64)}/a${many(')', 64)}`, noValue],
    ['<a/>', `${many('not(', 200)}1${many(')', 200)}`, noValue],
    ['<a/>', `${many('-', 1000)}1`, 1],
    ['<a/>', `1${many('-1', 500)}`, -499],
    ['<a/>', `/a${many('/../a', 200)}`, ''],
    ['<a/>', `//a${many('[.]', 300)}`, ''],
    ['<a/>', `string(/a)${many(' ', 1014)}`, ''],
    ['<a/>', `string(/a)${many(' ', 1015)}`, noValue],
  ];
  for (const [xml, xpath, expected] of cases) {
    t.same(filter(xml, xpath), expected, `${xml.slice(0, 20)} ${xpath.slice(0, 40)}`);
  }
});

t.test('entities of a document are none, so none of them can grow', async (t) => {
  const bomb = `<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "${many('&b;', 1000)}">]><a>&c;</a>`;
  const outside = '<!DOCTYPE a SYSTEM "https://example.com/a.dtd"><a/>';
  const file = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>';
  for (const xml of [bomb, outside, file, '<!DOCTYPE a><a/>', '<a>&b;</a>', '<a b="&c;"/>']) {
    t.same(filter(xml, 'string(/)'), noValue, xml.slice(0, 60));
  }
});

t.test('what takes too long ends when the fuel of the cell is used up', async (t) => {
  const mixed = `<r>${many('<a>x</a><b>yy</b>', 1700)}</r>`;
  const prefixes = Array.from({ length: 1500 }, (_, index) => `xmlns:p${index}="u${index}"`);
  const cases: [xml: string, xpath: string][] = [
    [wide, '//*/preceding::*'],
    [wide, `//*${many('[following::*', 60)}${many(']', 60)}`],
    [wide, `//a${many('[//a]', 200)}`],
    [wide, '//a[//a[string(position() div 7)="x"]]'],
    [wide, `//a[//a[1${many('0', 200)} mod (position() div 1${many('0', 90)})=7]]`],
    [mixed, '//*[//a/text()=//b/text()]'],
    [`<r>${many('<c/>', 3000)}${many('a', 19_000)}</r>`, '//c[contains(/,"aaaaaaaaab")]'],
    [`<r>${many('<c/>', 3000)}<n>${many('7', 18_000)}</n></r>`, '//c[number(//n)=1]'],
    [`<r>${many('<c/>', 3000)}<n>${many('7', 18_000)}</n></r>`, '//c[concat(/,/,/,/,/)="x"]'],
    [
      `<r xml:lang="de">${many('<a>', 200)}${many('<b/>', 5000)}${many('</a>', 200)}</r>`,
      '//b[//b[lang("de-at")]]',
    ],
    [`<r ${prefixes.join(' ')}>${many('<a/>', 500)}</r>`, 'count(//namespace::*)'],
  ];
  for (const [xml, xpath] of cases) t.same(filter(xml, xpath), spent, xpath.slice(0, 60));
  t.same(filter(wide, 'count(//a)'), 8000, 'the next cell has fuel of its own');
  const each = '=SUM(FILTERXML("<a>"&SEQUENCE(300000)&"</a>","/a"))';
  t.same(evaluateBeside([], [each])[0], spent, 'the memory of small documents is bounded, too');
  const again = (count: number): string => `=ROWS(FILTERXML($A$1,IF(SEQUENCE(${count}),"/a")))`;
  t.same(
    evaluateBeside([`<a${many(' ', 3500)}/>`], [again(1000), again(20_000)]),
    [1000, spent],
    'reading one again and again is paid for each time',
  );
});

t.test('a text that no cell can hold is #VALUE!', async (t) => {
  const long = `<a>${many('x', 20_000)}</a>`;
  t.same(filter(long, 'string-length(concat(/,/))'), 40_000);
  t.same(filter(long, 'concat(/,/)'), noValue);
  t.same(filter(long, 'concat(/,substring(/,1,12767))'), many('x', 32_767));
});
