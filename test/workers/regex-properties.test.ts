import * as fc from 'fast-check';
import t from 'tap';

import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { testSeed } from '../support/test-seed.ts';

/** General categories of characters, beside those that the JavaScript engine knows. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const categories = `Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf
  Co`.split(/\s+/u);

function evaluate(formulas: readonly string[]): unknown[] {
  const kernel = Kernel.create();
  const inputs = formulas.map((formula) => [{ formula }]);
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Sheet1', index: 0 },
    { kind: 'block', sheet: 1, row: 0, column: 0, inputs },
  ]);
  while (!kernel.recalculate(now, 1e9));
  const area = { row0: 0, column0: 0, row1: formulas.length - 1, column1: 0 };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm }).map(([value]) => value);
}

/** Undefined of what no version of Unicode has to know yet, and of halves of pairs. */
function categoryOf(character: string): string | undefined {
  return categories.find((name) => new RegExp(`^\\p{${name}}$`, 'u').test(character));
}

t.test('characters are of the category that Unicode gives them', (t) => {
  const some = fc.sample(
    fc.oneof(
      fc.integer({ min: 0x80, max: 0x24ff }),
      fc.integer({ min: 0x2500, max: 0xffff }),
      fc.integer({ min: 0x10000, max: 0x1ffff }),
      fc.integer({ min: 0xf0000, max: 0x10fffd }),
    ),
    { numRuns: 3_000, seed: testSeed },
  );
  const firsts = Array.from({ length: 0x60 }, (_, index) => 0x20 + index);
  const known = [...firsts, ...some].flatMap((code) => {
    const character = String.fromCodePoint(code);
    const name = categoryOf(character);
    return name === undefined ? [] : [{ character, name }];
  });
  const found = evaluate(
    known.flatMap(({ character, name }) => {
      const text = `"${character.replace('"', '""')}"`;
      return [
        String.raw`=REGEXTEST(${text},"^\p{${name}}$")`,
        String.raw`=REGEXTEST(${text},"^[\p{${name.slice(0, 1)}}]$")`,
        String.raw`=REGEXTEST(${text},"^\P{${name}}$")`,
      ];
    }),
  );
  const wrong = known.filter((_, index) => {
    return JSON.stringify(found.slice(index * 3, index * 3 + 3)) !== '[true,true,false]';
  });
  t.ok(known.length > 1_000);
  t.same(wrong, []);
  t.end();
});

t.test('properties are spelled as PCRE2 takes them', (t) => {
  const bad = { error: '#VALUE!' };
  const cases: [formula: string, value: unknown][] = [
    [String.raw`=REGEXEXTRACT("12 Größe","\p{L}+")`, 'Größe'],
    [String.raw`=REGEXREPLACE("Éa1٣_","[^\p{L}\p{Nd}]","")`, 'Éa1٣'],
    [String.raw`=REGEXTEST("é","^\pL$")`, true],
    [String.raw`=REGEXTEST("5","^\PL$")`, true],
    [String.raw`=REGEXTEST("5","^\P{^L}$")`, false],
    [String.raw`=REGEXTEST("é","^\p{Lu}$")`, false],
    [String.raw`=REGEXTEST("é","^\p{Lu}$",1)`, true],
    [String.raw`=REGEXTEST("é","^\p{ l & }$")`, true],
    [String.raw`=REGEXTEST("_","^\p{Xwd}\p{Any}?$")`, true],
    [String.raw`=REGEXTEST("_","\p{Xan}")`, false],
    [String.raw`=REGEXTEST("a-","^[\p{L}-]+$")`, true],
    [String.raw`=REGEXTEST("a","\p{Nope}")`, bad],
    [String.raw`=REGEXTEST("a","\p{}")`, bad],
    [String.raw`=REGEXTEST("a","\p{L")`, bad],
    [String.raw`=REGEXTEST("a","\p")`, bad],
  ];
  t.same(
    evaluate(cases.map(([formula]) => formula)),
    cases.map(([, value]) => value),
  );
  t.end();
});
