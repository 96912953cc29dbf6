import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Formulas that look at their whole column in each of its rows, before and after an edit. */

const rowCount = 1_200;

interface Row {
  readonly key: string;
  readonly number: number;
}

interface Shape {
  readonly formula: string;
  readonly expect: (rows: readonly Row[], at: number) => number;
}

const distinct = (rows: readonly Row[], at: number): number => {
  return new Set(rows.slice(0, at + 1).map(({ key }) => key)).size;
};

const shapes: readonly Shape[] = [
  {
    formula: `=SUMPRODUCT(--(B$1:B$${rowCount}>B1))+1`,
    expect: (rows, at) => rows.filter(({ number }) => number > (rows[at]?.number ?? 0)).length + 1,
  },
  { formula: '=ROUND(SUMPRODUCT(1/COUNTIF(A$1:A1,A$1:A1)),6)', expect: distinct },
  { formula: '=ROWS(UNIQUE(A$1:A1))', expect: distinct },
  {
    formula: '=SUM(--(FREQUENCY(B$1:B1,B$1:B1)>0))',
    expect: (rows, at) => new Set(rows.slice(0, at + 1).map(({ number }) => number)).size,
  },
  {
    formula: `=COUNTIF(A$1:A$${rowCount},"*"&RIGHT(A1,2)&"*")`,
    expect: (rows, at) => {
      const end = rows[at]?.key.slice(-2) ?? '';
      return rows.filter(({ key }) => key.includes(end)).length;
    },
  },
  {
    formula: '=IFERROR(MODE(B$1:B1),0)',
    expect: (rows, at) => {
      const counts = new Map<number, number>();
      for (const { number } of rows.slice(0, at + 1)) {
        counts.set(number, (counts.get(number) ?? 0) + 1);
      }
      const most = Math.max(...counts.values());
      const first = [...counts].find(([, count]) => count === most);
      return most < 2 ? 0 : (first?.[0] ?? 0);
    },
  },
  {
    formula: '=AGGREGATE(14,6,B$1:B1,1)',
    expect: (rows, at) => Math.max(...rows.slice(0, at + 1).map(({ number }) => number)),
  },
  {
    formula: `=ROUND(VAR.P(B1:B$${rowCount}),4)`,
    expect: (rows, at) => {
      const rest = rows.slice(at).map(({ number }) => number);
      const mean = rest.reduce((sum, one) => sum + one, 0) / rest.length;
      const squares = rest.reduce((sum, one) => sum + (one - mean) ** 2, 0);
      return Math.round((squares / rest.length) * 1e4) / 1e4;
    },
  },
];

t.test('they are what they should be in every row', async (t) => {
  const rows: Row[] = Array.from({ length: rowCount }, (_, at) => {
    return { key: `k${(at * 7_919) % 211}`, number: (at * 7_919) % 617 };
  });
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const apply = async (kind: string, payload: object): Promise<void> => {
    const ops = [{ kind, payload: { sheet: 'Sheet1', ...payload } }];
    const answer = await book.ask('/branches/main/ops', { body: { writer: 'w', ops } });
    t.match(answer.json, { status: 'applied' }, answer.text.slice(0, 300));
  };
  const compare = async (): Promise<void> => {
    const { json } = await book.ask(`/slice?range=C1:J${rowCount}`);
    const { rows: answers } = json as { rows: readonly (readonly unknown[])[] };
    for (const [number, { formula, expect }] of shapes.entries()) {
      const found = answers.map((answer) => answer[number]);
      t.same(
        found,
        rows.map((_, at) => expect(rows, at)),
        formula,
      );
    }
  };
  const inputs = rows.map(({ key, number }) => [key, number]);
  await apply('range.set', { range: `A1:B${rowCount}`, inputs });
  for (const [number, { formula: input }] of shapes.entries()) {
    const column = String.fromCodePoint('C'.charCodeAt(0) + number);
    await apply('range.fill', { range: `${column}1:${column}${rowCount}`, input });
  }
  await compare();
  await apply('range.set', { range: 'A6:B6', inputs: [['k99', 1_000]] });
  rows[5] = { key: 'k99', number: 1_000 };
  await compare();
});
