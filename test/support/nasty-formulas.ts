import * as fc from 'fast-check';

import { columnName } from '../../server/model/address.ts';

/** Formulas with names that look like something else, over the whole grammar; some are invalid. */

/** Names that R1C1 or A1 notation, a function or a boolean might claim, in any letter case. */
export const nastyNames: readonly string[] = (
  'r c R C rc RC Rc rC r1c1 R1C1 r1C1 R1C RC_1 r_1 R.C c5x R1C1x r2c3.x RC99999 rC16385 R1048577 ' +
  'R0 R00000001 R01C01 R2000000 C16385x x total Ärger _r \\x ABC1234567 XFE1 r? L let sum TRUEx ' +
  'e1x E R99C99 C99999999 r1c rc.. N PI _xlpm.r _xlpm.RC ß K'
).split(' ');

const name = fc.constantFrom(...nastyNames);
/** Few names, so that LET and LAMBDA declare what others use. */
const local = fc.constantFrom('r', 'c', 'R', 'C', 'rc', 'RC', 'R1C1', 'r1c1', 'x', 'R1C', 'y2x');

const row = fc.integer({ min: 0, max: 30 });
const column = fc.integer({ min: 0, max: 30 });
const dollar = fc.constantFrom('', '', '$');
const cell = fc
  .tuple(row, column, dollar, dollar)
  .map(
    ([down, right, fixRow, fixColumn]) => `${fixColumn}${columnName(right)}${fixRow}${down + 1}`,
  );
const colon = fc.constantFrom(':', ':', ':', '.:', ':.', '.:.');
const columns = fc
  .tuple(column, column, dollar, dollar, colon)
  .map(([a, b, fixA, fixB, to]) => `${fixA}${columnName(a)}${to}${fixB}${columnName(b)}`);
const rows = fc
  .tuple(row, row, dollar, dollar, colon)
  .map(([a, b, fixA, fixB, to]) => `${fixA}${a + 1}${to}${fixB}${b + 1}`);
const area = fc.tuple(cell, cell, colon).map(([a, b, to]) => a + to + b);
const place = fc.oneof(cell, cell, area, columns, rows);
export const nastySheets: readonly string[] = [
  'Plan',
  "It's",
  'R',
  'RC',
  'R1C1',
  'A1',
  '1st',
  'a b',
];
const sheet = fc.constantFrom(
  ...nastySheets.map((title) => `'${title.replaceAll("'", "''")}'!`),
  'Plan!',
  'plan!',
  "'Plan:a b'!",
  'Plan:RC!',
  "'R:C'!",
  'Gone!',
);
const onSheet = fc.tuple(sheet, fc.oneof(place, local)).map(([prefix, text]) => prefix + text);
const structured = fc.constantFrom(
  'Sales[Price]',
  'Sales[[#All],[Price]:[a b]]',
  'Sales[@Price]',
  'Sales[@[a b]]',
  'Sales[[#Headers],[RC]]',
  "Sales[it'[s R1C1]",
  'Sales[]',
  'Sales[#Totals]',
  'Sales[[ x]]',
  'R[1]',
  'R[-1]',
  'RC[1]',
  'C[x]',
  'R1C1[2]',
  'r[1]',
);
const number = fc.constantFrom(
  '1',
  '2.5',
  '1E3',
  '.5',
  '5.',
  '0.1',
  '1e-7',
  '123456789012345678',
  '0.12345678901234567',
);
const text = fc
  .constantFrom(
    '',
    'a',
    'say ""hi""',
    'R1C1',
    "it's",
    'A1:B2',
    '[x]',
    '{1}',
    '\u0001R3\u0001',
    '=',
    ' ',
  )
  .map((value) => `"${value}"`);
const array = fc.constantFrom('{1,2;3,4}', '{-1,+2}', '{"r",TRUE}', '{#N/A}', '{"a""b";"R1C1"}');
const other = fc.constantFrom(
  'TRUE',
  'false',
  '#N/A',
  '#REF!',
  '#DIV/0!',
  '[1]Other!A1',
  'NA()',
  '',
);
const operator = fc.constantFrom(
  '+',
  '-',
  '*',
  '/',
  '^',
  '&',
  '=',
  '<>',
  '<=',
  '>',
  ' ',
  ':',
  ', ',
  ' + ',
  '\n+',
);

/** The texts of formulas, with their `=`. */
export const nastyFormula: fc.Arbitrary<string> = fc
  .letrec<{ term: string; leaf: string }>((tie) => ({
    leaf: fc.oneof(
      place,
      place,
      name,
      local,
      local,
      onSheet,
      structured,
      number,
      text,
      array,
      other,
    ),
    term: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      tie('leaf'),
      fc.tuple(tie('term'), operator, tie('term')).map((parts) => parts.join('')),
      fc.tuple(tie('term'), tie('term')).map((parts) => `(${parts.join(',')})`),
      tie('term').map((inner) => `(${inner})`),
      fc.tuple(fc.constantFrom('-', '@', '+'), tie('term')).map((parts) => parts.join('')),
      fc.tuple(tie('term'), fc.constantFrom('#', '%')).map((parts) => parts.join('')),
      fc
        .tuple(
          fc.constantFrom(
            'SUM',
            'IF',
            'INDEX',
            'VSTACK',
            'r',
            'RC',
            'R1C1',
            'own.fn',
            '_xlfn.CONCAT',
          ),
          fc.array(tie('term'), { minLength: 1, maxLength: 3 }),
        )
        .map(([called, parts]) => `${called}(${parts.join(',')})`),
      fc
        .tuple(
          fc.uniqueArray(local, { maxLength: 3, minLength: 1 }),
          fc.array(tie('term')),
          tie('term'),
        )
        .map(([names, values, result]) => {
          const pairs = names.map((given, index) => `${given},${values[index] ?? '1'}`);
          return `LET(${[...pairs, result].join(',')})`;
        }),
      fc
        .tuple(fc.uniqueArray(local, { maxLength: 3 }), tie('term'), fc.boolean(), tie('term'))
        .map(([names, body, isOptional, given]) => {
          const last = names.length - 1;
          const parameters = names.map((parameter, index) =>
            isOptional && index === last ? `[${parameter}]` : parameter,
          );
          return `LAMBDA(${[...parameters, body].join(',')})(${names.map(() => given).join(',')})`;
        }),
      fc.tuple(place, local, tie('term')).map(([over, parameter, body]) => {
        return `BYROW(${over},LAMBDA(${parameter},${body}))`;
      }),
    ),
  }))
  .term.map((term) => `=${term}`);

/** A cell for a formula to stand in. */
export const nastyPlace = fc.record({
  row: fc.constantFrom(0, 1, 7, 40, 1_048_575),
  column: fc.constantFrom(0, 1, 7, 40, 16_383),
});
