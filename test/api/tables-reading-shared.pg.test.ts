import t from 'tap';

import { TableBook } from '../support/table-book.ts';

t.test('what all rows share is computed once, or refused where a row is meant', async (t) => {
  const sales = await TableBook.start(t);
  const rows = Array.from({ length: 20_000 }, (_, at) => {
    return { sku: `k${at}`, region: at % 3 === 0 ? 'North' : 'South', price: at + 0.1 };
  });
  await sales.sales(rows);
  const ask = (formula: string) =>
    sales.ask(`tables/Sales/rows?limit=1&where=${encodeURIComponent(formula)}`);
  const message = /\[@region\] is the value of the row, \[region\] are all of its column/;
  const meant = {
    status: 400,
    json: { errors: [{ pointer: '?where', code: 'bad_formula', message }] },
  };
  for (const formula of [
    'AND([@price]>2,[region]="South")',
    'OR(MAX([price])<2,Sales[region]="South")',
    'NOT(AND([region]="South"))',
    'IF([region]="South",[@price]>2)',
  ]) {
    t.match(await ask(formula), meant, formula);
  }
  const several = { status: 400, json: { errors: [{ message: /more than one value/ }] } };
  t.match(await ask('AND([@price]>2,LEFT([region],1)="S")'), several);
  for (const [formula, total] of [
    ['[@price]>AVERAGE([price])', 10_000],
    ['[@price]>AVERAGE(FILTER([price],[region]="North"))', 10_000],
    ['[@price]=SUM(([region]="North")*([price]=3.1)*[price])', 1],
    ['AND([@price]>SUM(IF([region]="North",1,0)),[@region]="North")', 4_444],
    ['[@region]=TEXTJOIN("",TRUE,UNIQUE(FILTER([region],[price]<1)))', 6_667],
    ['[@price]=MAX(([region]="South")*[price])', 1],
    ['AND([@price]>3,@[region]="North")', 6_666],
  ] as const) {
    t.match(await ask(formula), { status: 200, json: { total, errors: 0 } }, formula);
  }
});
