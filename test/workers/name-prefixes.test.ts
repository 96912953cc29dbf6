import t from 'tap';

import { Kernel } from '../../workers/kernel.ts';

/** Files write `_xlfn.`, `_xlws.` and `_xlpm.` before newer functions and the names of LET. */

function printed(formula: string): string | undefined {
  const kernel = Kernel.create();
  const home = { row: 0, column: 0 };
  const relative = kernel.convertFormula(formula, home, 'R1C1');
  return relative === undefined ? undefined : kernel.convertFormula(relative, home, 'A1');
}

t.test('prefixes go', (t) => {
  t.equal(printed('=_xlfn.LET(_xlpm.x,1,_xlpm.x+1)'), '=LET(x,1,x+1)');
  t.equal(printed('=_xlfn._xlws.SORT(A1:A3)'), '=SORT(A1:A3)');
  t.equal(printed('=LAMBDA(_xlpm.r1c1,_xlpm.r,_xlpm.r1c1+_xlpm.r)'), '=LAMBDA(r1c1,r,r1c1+r)');
  t.equal(printed('=_xlfn.Somebody_else(1)'), '=Somebody_else(1)');
  t.equal(printed('=_xlfn.BYROW(A1:B3,_xleta.SUM)'), '=BYROW(A1:B3,SUM)');
  t.end();
});

t.test('what would be something else without its prefix keeps it', (t) => {
  for (const name of ['_xlpm.x6', '_xlpm.TRUE', '_xlpm.$A$1', '_xlfn..', '_xlfn.1']) {
    t.equal(printed(`=${name}+1`), `=${name}+1`);
    t.equal(printed(String(printed(`=${name}`))), `=${name}`);
  }
  for (const formula of ['=(_xlpm.x:B,5)', '=SUM(B:_xlpm.x)', '=SUM($B:_xlpm.xy)']) {
    t.equal(printed(formula), formula);
  }
  t.equal(printed('=LET(_xlpm.x,A1,SUM(_xlpm.x:B5))'), '=LET(x,A1,SUM(x:B5))');
  t.end();
});
