import t from 'tap';

import type { Value } from '../../server/model/cell-value.ts';
import { OneSheet } from '../support/one-sheet.ts';

/** Lambdas that call themselves, by their name or handed on: Excel's limit, and no trap at any depth. */

const spent = { error: '#NUM!' };

function valueOf(names: Readonly<Record<string, string>>, text: string): Value | undefined {
  const sheet = new OneSheet();
  const mutations = Object.entries(names).map(([name, formula]) => {
    return { kind: 'nameSet', name, formula, scope: undefined } as const;
  });
  sheet.kernel.apply(mutations);
  sheet.enter(0, 0, { formula: text });
  return sheet.values({ row0: 0, row1: 0, column0: 0, column1: 0 })[0]?.[0];
}

t.test('one parameter: 8,192 calls within one another, and no more', async (t) => {
  const names = { Sum_to: '=LAMBDA(n,IF(n=0,0,n+Sum_to(n-1)))' };
  t.equal(valueOf(names, '=Sum_to(300)'), 45_150);
  t.equal(valueOf(names, '=Sum_to(8191)'), (8191 * 8192) / 2);
  t.same(valueOf(names, '=Sum_to(8192)'), spent);
  t.same(valueOf(names, '=Sum_to(1E9)'), spent);
});

t.test('more parameters, fewer calls', async (t) => {
  const names = { Tally: '=LAMBDA(n,a,b,c,IF(n=0,0,1+Tally(n-1,a,b,c)))' };
  t.equal(valueOf(names, '=Tally(3275,1,2,3)'), 3275);
  t.same(valueOf(names, '=Tally(3276,1,2,3)'), spent);
  t.equal(valueOf({}, '=LET(f,LAMBDA(f,n,IF(n=0,0,1+f(f,n-1))),f(f,5460))'), 5460);
});

t.test('whatever function the call stands in', async (t) => {
  const steps: Record<string, string> = {
    IF: 'IF(n=0,0,1+F(n-1))',
    IFS: 'IFS(n=0,0,TRUE,1+F(n-1))',
    SWITCH: 'SWITCH(n,0,0,1+F(n-1))',
    CHOOSE: 'CHOOSE(1+(n>0),0,1+F(n-1))',
    IFERROR: 'IF(n=0,0,IFERROR(1+F(n-1),-1))',
    IFNA: 'IF(n=0,0,IFNA(1+F(n-1),-1))',
    LET: 'LET(m,n-1,IF(n=0,0,LET(rest,F(m),1+rest)))',
    condition: 'IF(n=0,0,IF(F(n-1)>=0,n,-1))',
    argument: 'IF(n=0,0,SUM(1,MAX(F(n-1))))',
    own: 'IF(n=0,0,LAMBDA(x,1+F(x))(n-1))',
  };
  for (const [what, body] of Object.entries(steps)) {
    t.equal(valueOf({ F: `=LAMBDA(n,${body})` }, '=F(4000)'), 4000, what);
  }
});

t.test('many locals within a deep recursion', async (t) => {
  const locals = Array.from({ length: 60 }, (_, index) => `v_${index},n+${index}`).join(',');
  const names = { F: `=LAMBDA(n,LET(${locals},IF(n=0,0,1+F(v_59-60))))` };
  t.equal(valueOf(names, '=F(8000)'), 8000);
  const twice = { F: `=LAMBDA(n,LET(${locals},IF(n=0,0,IF(F(v_59-60)=n-1,n,-1))))` };
  t.equal(valueOf(twice, '=F(3000)+F(3000)'), 6000);
});

t.test('what never ends is ended', async (t) => {
  const endless = {
    once: '=LAMBDA(n,F(n))',
    twice: '=LAMBDA(n,F(n)+F(n))',
    caught: '=LAMBDA(n,IFERROR(F(n),F(n)))',
    growing: '=LAMBDA(n,IF(n=0,0,F(n-1)+F(n-1)))',
    mapped: '=LAMBDA(n,SUM(MAP(SEQUENCE(3),LAMBDA(x,F(n+x)))))',
    lifted: '=LAMBDA(n,SUM(IF({1,0},F(n),F(n))))',
    reduced: '=LAMBDA(n,REDUCE(0,SEQUENCE(9),LAMBDA(a,x,a+F(x))))',
    named: '=LAMBDA(n,1+SUM(F(n),{1,2}))',
  };
  for (const [what, formula] of Object.entries(endless)) {
    t.same(valueOf({ F: formula }, '=F(100000)'), spent, what);
  }
  t.same(valueOf({}, '=LET(f,LAMBDA(f,f(f)),f(f))'), spent);
});
