import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { canonicalJson } from '../../../server/model/plain-json.ts';
import { comparisons, timePeriods } from '../../../server/model/payload-rules.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { fileOf, fileRecordsOf } from '../../support/file-round-trip.ts';
import { StateDriver } from '../../support/state-driver.ts';

const formula = fc.constantFrom('=$A$1', '=B2+1', "='My sheet'!C3", '=SUM(B$2:$C9)&"x"', '=rate*2');
const number = fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.constantFrom(0.5, 1e21, 1e-7));
const word = fc.constantFrom(
  'a',
  'it\'s "so"',
  '<b>&',
  '  spaced ',
  'ä€😀',
  '_x0041_',
  '5',
  'a\nb',
);
const operand = fc.oneof(formula, number, word);
const measure = fc.oneof(formula, number);
const color = fc.oneof(
  fc.constantFrom('#FF0000', '#00AB7F'),
  fc.record({ theme: fc.integer({ min: 0, max: 11 }) }),
  fc.constant({ theme: 4, tint: -0.25 }),
);
const yes = fc.constant(true);
const operators = fc.constantFrom(...comparisons);

function compared(value: fc.Arbitrary<number | string>) {
  return fc.tuple(operators, value, value).map(([operator, formula1, formula2]) => {
    const isBetween = operator === 'between' || operator === 'notBetween';
    return isBetween ? { operator, formula1, formula2 } : { operator, formula1 };
  });
}

const point = fc.oneof(
  fc.constantFrom({ at: 'min' }, { at: 'max' }),
  fc.record({ at: fc.constantFrom('num', 'percent', 'percentile', 'formula'), value: measure }),
);
const points = (least: number, most: number) =>
  fc.array(point, { minLength: least, maxLength: most });

const ownIcon = fc.option(
  fc.record({ set: fc.constantFrom('3Stars', '5Boxes', '3Flags'), index: fc.nat({ max: 2 }) }),
);

const formatRule = fc.oneof(
  compared(operand).map((rule) => ({ type: 'cellIs', ...rule })),
  formula.map((formula1) => ({ type: 'expression', formula1 })),
  fc.array(fc.tuple(point, color), { minLength: 2, maxLength: 3 }).map((list) => ({
    type: 'colorScale',
    points: list.map(([at, paint]) => ({ ...at, color: paint })),
  })),
  fc.tuple(point, point, color).map(([min, max, paint]) => ({
    type: 'dataBar',
    min,
    max,
    color: paint,
    minLength: 5,
    showValue: false,
  })),
  points(3, 3).map((list) => ({ type: 'iconSet', icons: '3Signs', points: list, reverse: true })),
  points(5, 5).map((list) => ({ type: 'iconSet', icons: '5Rating', points: list })),
  points(3, 3).map((list) => ({ type: 'iconSet', icons: '3Triangles', points: list })),
  fc.tuple(points(4, 4), fc.array(ownIcon, { minLength: 4, maxLength: 4 })).map(([list, own]) => ({
    type: 'iconSet',
    icons: '4Arrows',
    own,
    points: list,
    showValue: false,
  })),
  fc.record({ type: fc.constant('top10'), rank: fc.integer({ min: 1, max: 1_000 }), bottom: yes }),
  fc.record(
    { type: fc.constant('aboveAverage'), below: yes, equal: yes },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constantFrom('containsText', 'beginsWith'), text: word }),
  fc.record({ type: fc.constantFrom('notContainsText', 'endsWith'), formula1: formula }),
  fc.record({ type: fc.constant('timePeriod'), period: fc.constantFrom(...timePeriods) }),
  fc.record({ type: fc.constantFrom('uniqueValues', 'containsBlanks', 'notContainsErrors') }),
);
const side = fc.record(
  { style: fc.constantFrom('thin', 'double'), color },
  { requiredKeys: ['style'] },
);
const style = fc.record(
  {
    bold: fc.boolean(),
    italic: fc.boolean(),
    strike: yes,
    underline: fc.constantFrom('single', 'double'),
    color,
    fill: color,
    numberFormat: fc.constantFrom('0.00', '"€" #,##0', 'yyyy-mm-dd'),
    border: fc.record({ left: side, bottom: side }),
  },
  { requiredKeys: ['bold'] },
);
const validationRule = fc.oneof(
  fc
    .tuple(fc.constantFrom('whole', 'decimal', 'date', 'time', 'textLength'), compared(measure))
    .map(([type, rule]) => ({ type, ...rule })),
  fc
    .array(fc.constantFrom('yes', 'no "q"', '<x>', '1'), { minLength: 1, maxLength: 4 })
    .map((items) => ({
      type: 'list',
      items,
    })),
  formula.map((source) => ({ type: 'list', source, dropdown: false })),
  formula.map((formula1) => ({ type: 'custom', formula1 })),
  fc.constant({ type: 'any' }),
);
const text = word.filter((words) => words.trim() === words);
const range = fc.constantFrom('A1', 'B2:C9', 'D:E', '3:4', 'F7:G8', 'C12');
const ranges = fc.uniqueArray(range, { minLength: 1, maxLength: 3 });
const more = { stopIfTrue: fc.boolean() };
const operation = fc.oneof(
  fc
    .record({ ranges, rule: formatRule, style, ...more }, { requiredKeys: ['ranges', 'rule'] })
    .map((payload) => ({ kind: 'cf.set', payload })),
  fc
    .record(
      {
        ranges,
        rule: validationRule,
        onInvalid: fc.constantFrom('reject', 'warn', 'inform', 'ignore'),
        allowBlank: fc.boolean(),
        prompt: fc.record({ title: text, text }),
        error: fc.record({ text }),
      },
      { requiredKeys: ['ranges', 'rule'] },
    )
    .map((payload) => ({ kind: 'validation.set', payload })),
);

t.test('rules of all types survive an export and an import', async (t) => {
  const formulas = new Formulas();
  let count = 0;
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 6 }), (operations) => {
      const driver = new StateDriver(formulas);
      driver.apply('sheet.add', { name: 'Main' });
      driver.apply('sheet.add', { name: 'My sheet' });
      for (const { kind, payload } of operations) {
        const result = driver.submit(kind, { sheet: 'Main', ...payload });
        if (!(result instanceof Rejection)) count++;
        else if (result.code !== 'bad_rule') throw result;
      }
      const records = fileRecordsOf(driver).get('Main') ?? [];
      const sheets = ['Main', 'My sheet'].map((name) => {
        return { name, cells: () => [], records: name === 'Main' ? records : [] };
      });
      const file = fileOf({ date1904: false, names: [], tables: [], sheets });
      const accepts = (checked: string) => formulas.check(checked).ok;
      const again = readXlsx(file, { acceptsFormula: accepts });
      if (again.dropped.length > 0) throw new Error(JSON.stringify(again.dropped));
      const wanted = records.map(({ value, ...record }) => {
        const { priority: _, ...rest } = value;
        return JSON.stringify(canonicalJson({ ...record, value: rest }));
      });
      const found = (again.sheets[0]?.records ?? []).map((record) => {
        return JSON.stringify(canonicalJson(record));
      });
      const lost = wanted.filter((record) => !found.includes(record));
      const made = found.filter((record) => !wanted.includes(record));
      if (lost.length + made.length > 0)
        throw new Error(`${lost.join(' ')} became ${made.join(' ')}`);
    }),
    { numRuns: 150 },
  );
  t.ok(count > 200, `${count} rules`);
});
