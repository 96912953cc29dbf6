import t from 'tap';

import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** Formulas of which each family of functions has one, and what Excel answers. */
const results: [formula: string, value: unknown][] = [
  ['="abc"+1/0', { error: '#VALUE!' }],
  ['=XLOOKUP("qwerty",{2,5,4,TRUE,"ala"},{"a","b","c","d","e"},,1)', 'd'],
  ['=XMATCH(5,{1,5,5,5,7},0,2)', 2],
  ['=CONVERT(0.004,"Mmph","m/s")', 1788.16],
  ['=TEXTAFTER("123 the 456 the 891","the",-1.6)', ' 456 the 891'],
  ['=LARGE({1,#N/A},"x")', { error: '#VALUE!' }],
  ['=MIRR({-6,-1,-2},0.1,0.2)', -1],
  ['=ROUND(FORECAST.ETS(6,{1;2;3;4;5},{1;2;3;4;5}),9)', 6],
  ['=TEXT(1234567,"#,.#,")', '1.2'],
  ['=TEXT(123456.789,"0.0|e+|0")', '1.2|e|+5'],
  ['=TEXT(TRUE,";;;-@-")', '-TRUE-'],
  ['=TEXT(3.14159,"[h] ""h=""h")', '75 h=75'],
  ['=TEXT(1.3,"# ?/?")', '1 1/3'],
  ['=INDEX(GROUPBY({"a";"b";"a"},{1;2;3},HSTACK(SUM,COUNT),,0),2,3)', 2],
  ['=INDEX(PIVOTBY({"a";"b"},{1;2},{3;5},PERCENTOF,,,,,,,3),4,2)', 0.375],
  ['=INT(123456789-0.0000004)', 123456789],
  ['=VALUE("%12")', 0.12],
  ['=BESSELJ(1.9,2)', 0.3299258286697851],
  ['="İ"="i"', false],
  ['=TEXT(DATE(2024,1,1),"yyyy-mm-dd")', '2024-01-01'],
  ['=TEXT(DATE(2026,5,1),"[$-FC19]d mmmm yyyy")', '1 мая 2026'],
  ['=SUM(INDIRECT("Plan:Next!B1"))', { error: '#REF!' }],
  [`=SUMPRODUCT(SUMIF(INDIRECT("'"&{"Next","Next"}&"'!A1:A2"),">1"))`, 4],
  ['=SUM(COUNTBLANK(OFFSET(Next!A1,{0;1},0,2)))', 1],
  ['=SUMPRODUCT(SUBTOTAL(9,OFFSET(Next!A1,ROW(1:2)-1,0)),{10;1})', 12],
  ['=XIRR({-10000;2750;4250;3250;2750},{39448;39508;39751;39859;39904})', 0.3733625352382659],
  ['=ADDRESS(1,27,4,TRUE,"S1")', "'S1'!AA1"],
  ['=SERIESSUM(2,1,2,{1,"a",1})', { error: '#VALUE!' }],
];

t.test('functions answer as Excel does, over the wire and from a cold model', async (t) => {
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    DATA_DIR: await makeTemporaryFolder(t),
  };
  const first = await TestService.start(t, settings, {});
  const credential = await first.register();
  const rows = results.map(([formula]) => [formula]);
  const plan = { name: 'Plan', rows: [...rows, ['=TEXT(-1,"yyyy-mm-dd")']] };
  const body = { sheets: [plan, { name: 'Next', rows: [[1], [2]] }] };
  const created = await first.request('/v1/workbooks', { credential, body });
  t.equal(created.status, 201, created.text);
  const at = `/v1/workbooks/${(created.json as { id: string }).id}`;
  const read = async (service: TestService) => {
    const path = `${at}/slice?range=Plan!A1:A${results.length + 1}`;
    const answer = await service.request(path, { credential });
    return (answer.json as { rows: unknown[][] }).rows.map(([value]) => value);
  };
  const values = results.map(([, value]) => value);
  t.same(await read(first), [...values, { error: '#VALUE!' }]);

  const ops = [{ kind: 'settings.set', payload: { path: 'dateSystem', value: 1904 } }];
  const set = await first.request(`${at}/branches/main/ops`, { credential, body: { ops } });
  t.equal(set.status, 200, set.text);
  t.same(await read(first), [...values, '-1904-01-02'], 'a date before 1904 is negative');

  await first.app.stop();
  const again = await TestService.start(t, settings, {});
  t.same(await read(again), [...values, '-1904-01-02'], 'the same after a restart');
});

/** Rows with a key, of which each has ten, and a number. */
const keyedRows = 400;
const keyCount = 40;

/** Asked of every row; the same for all rows of a key. */
const asked = [
  `=SUMPRODUCT(($A$1:$A$${keyedRows}=A@)*$B$1:$B$${keyedRows})`,
  `=MATCH(1,($A$1:$A$${keyedRows}=A@)*($B$1:$B$${keyedRows}>${keyCount}),0)`,
  `=LOOKUP(2,1/($A$1:$A$${keyedRows}=A@),$B$1:$B$${keyedRows})`,
  `=MAX(IF($A$1:$A$${keyedRows}=A@,$B$1:$B$${keyedRows}))`,
  `=SUMPRODUCT(1/COUNTIF($A$1:$A$${keyedRows},$A$1:$A$${keyedRows}))`,
  `=MATCH(A@&"|",$A$1:$A$${keyedRows}&"|",0)`,
  '=MEDIAN(B$1:B@)',
  '=STDEV(B$1:B@)^2',
];

t.test('conditions on columns and growing ranges, of every row', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const rows = Array.from({ length: keyedRows }, (_, at) => [
    `k${at % keyCount}`,
    at + 1,
    ...asked.map((formula) => formula.replaceAll('@', `${at + 1}`)),
  ]);
  const body = { sheets: [{ name: 'Keyed', rows }] };
  const created = await service.request('/v1/workbooks', { credential, body });
  t.equal(created.status, 201, created.text);
  const at = `/v1/workbooks/${(created.json as { id: string }).id}`;
  const path = `${at}/slice?range=Keyed!C1:J${keyedRows}`;
  const answer = await service.request(path, { credential });
  const found = (answer.json as { rows: unknown[][] }).rows;
  const last = keyedRows - keyCount;
  const wanted = Array.from({ length: keyedRows }, (_, row) => {
    const key = (row % keyCount) + 1;
    const count = row + 1;
    return [
      ((key + key + last) * keyedRows) / keyCount / 2,
      key + keyCount,
      key + last,
      key + last,
      keyCount,
      key,
      (count + 1) / 2,
      count < 2 ? { error: '#DIV/0!' } : (count * (count + 1)) / 12,
    ];
  });
  const rounded = (value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value;
  t.same(
    found.map((row) => row.map(rounded)),
    wanted.map((row) => row.map(rounded)),
  );
});
