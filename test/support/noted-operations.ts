import * as fc from 'fast-check';

// Operations on records, for tests with random histories.

const row = fc.integer({ min: 1, max: 12 });
const column = fc.constantFrom('A', 'B', 'C', 'D', 'E');
/** A few cells that are hit repeatedly. */
const familiar = fc.constantFrom('B2', 'C3');
const cell = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(column, row).map(([letters, number]) => `${letters}${number}`) },
  { weight: 1, arbitrary: familiar },
);
const area = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`) },
  { weight: 1, arbitrary: fc.tuple(column, column).map(([a, b]) => `${a}:${b}`) },
  { weight: 1, arbitrary: fc.tuple(row, row).map(([a, b]) => `${a}:${b}`) },
);
const sheet = fc.constantFrom('One', 'Two', 'Three');
const count = fc.integer({ min: 1, max: 4 });
const formula = fc.constantFrom('=A1>1', '=$B2+Two!C3', '=SUM($A$1:A1)=One!B$4', '=SUM(B:B)>tax');
const ranges = fc.array(area, { minLength: 1, maxLength: 3 });
const rule = formula.map((formula1) => ({ type: 'expression', formula1 }));
const custom = formula.map((formula1) => ({ type: 'custom', formula1 }));
const clearable = fc.constantFrom('notes', 'comments', 'validation', 'cf', 'hyperlinks', 'values');
/** Ids that earlier operations may have made, or that a client chose. */
const id = (prefix: string) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 4, max: 24 }).map((n) => `${prefix}1.${n}.0`) },
    { weight: 4, arbitrary: fc.constantFrom(`${prefix}-own`, `${prefix}-other`) },
  );

function of(kind: string, payload: fc.Arbitrary<object>, weight = 1) {
  return { weight, arbitrary: payload.map((made) => ({ kind, payload: made })) };
}

export const recordOperation: fc.Arbitrary<{ kind: string; payload: object }> = fc.oneof(
  of('cellmerge.add', fc.record({ sheet, range: area }), 3),
  of('cellmerge.remove', fc.record({ sheet, range: area }), 2),
  of('note.set', fc.record({ sheet, a1: cell, text: fc.constantFrom('x', 'y') }), 2),
  of('note.delete', fc.record({ sheet, a1: familiar }), 2),
  of('comment.add', fc.record({ sheet, range: area, text: fc.constant('hi') }), 2),
  of(
    'comment.add',
    fc.record({ sheet, a1: cell, text: fc.constant('hm'), thread: id('th'), comment: id('c') }),
    3,
  ),
  of('comment.edit', fc.record({ thread: id('th'), comment: id('c'), text: fc.constant('he') })),
  of('comment.reply', fc.record({ thread: id('th'), text: fc.constant('ho') })),
  of('comment.resolve', fc.record({ thread: id('th'), resolved: fc.boolean() })),
  of('comment.delete', fc.record({ thread: id('th') })),
  of('validation.set', fc.record({ sheet, ranges, rule: custom }), 2),
  of('validation.set', fc.record({ id: id('dv'), sheet, ranges, rule: custom }), 2),
  of('validation.delete', fc.record({ id: id('dv') })),
  of('cf.set', fc.record({ sheet, ranges, rule, priority: count }), 2),
  of('cf.set', fc.record({ id: id('cf'), sheet, ranges, rule }), 2),
  of('cf.move', fc.record({ id: id('cf'), priority: count })),
  of('cf.delete', fc.record({ id: id('cf') })),
  of(
    'hyperlink.set',
    fc.record({ sheet, range: area, url: fc.constantFrom('https://a/', null) }),
    2,
  ),
  of(
    'hyperlink.set',
    fc.record({ sheet, a1: cell, location: fc.constantFrom('One!B2:C3', 'tax') }),
  ),
  of(
    'filter.set',
    fc.tuple(sheet, row, row, column).map(([s, from, to, letters]) => {
      const criteria = [{ column: letters, values: ['x'] }];
      return { sheet: s, range: `A${from}:E${to}`, criteria };
    }),
  ),
  of('filter.clear', fc.record({ sheet })),
  of('image.set', fc.record({ id: id('im'), sheet, anchor: area, spec: fc.constant({ a: 1 }) })),
  of('image.delete', fc.record({ id: id('im') })),
  of('chart.set', fc.record({ id: id('ch'), sheet, anchor: area, spec: fc.constant({ b: 'c' }) })),
  of('chart.delete', fc.record({ id: id('ch') })),
  of('protect.set', fc.record({ id: id('p'), sheet, ranges, who: fc.constant(['me']) })),
  of('protect.delete', fc.record({ id: id('p') })),
  of(
    'range.clear',
    fc.record({ sheet, range: area, what: fc.uniqueArray(clearable, { minLength: 1 }) }),
    2,
  ),
);

/** Operations that make, change and delete the same few records. */
export const ownRecordOperation: fc.Arbitrary<{ kind: string; payload: object }> = fc
  .tuple(familiar, fc.constantFrom('x', 'y'), fc.nat(100))
  .map(([a1, text, index]) => ownRecord(index, a1, text));

function ownRecord(index: number, a1: string, text: string): { kind: string; payload: object } {
  const on = { sheet: 'One' };
  const [thread, comment] = ['th-own', 'c-own'];
  const ruled = { ...on, ranges: [`${a1}:D9`], rule: { type: 'custom', formula1: `=${a1}>1` } };
  const priority = text === 'x' ? 1 : 2;
  const shown = { type: 'expression', formula1: `=${a1}>1` };
  const spec = { text };
  const operations = [
    { kind: 'note.set', payload: { ...on, a1, text } },
    { kind: 'note.delete', payload: { ...on, a1 } },
    { kind: 'comment.add', payload: { ...on, a1, text, thread, comment } },
    { kind: 'comment.reply', payload: { thread, text } },
    { kind: 'comment.edit', payload: { thread, comment, text } },
    { kind: 'comment.resolve', payload: { thread, resolved: text === 'x' } },
    { kind: 'comment.delete', payload: { thread } },
    { kind: 'validation.set', payload: { ...ruled, id: 'dv-own' } },
    { kind: 'validation.delete', payload: { id: 'dv-own' } },
    { kind: 'cf.set', payload: { ...ruled, rule: shown, id: `cf-${text}`, priority } },
    { kind: 'cf.move', payload: { id: `cf-${text}`, priority: 1 } },
    { kind: 'cf.delete', payload: { id: `cf-${text}` } },
    { kind: 'protect.set', payload: { ...on, id: 'p-own', ranges: [a1], who: [text] } },
    { kind: 'protect.delete', payload: { id: 'p-own' } },
    { kind: 'image.set', payload: { ...on, id: 'im-own', anchor: a1, spec } },
    { kind: 'image.delete', payload: { id: 'im-own' } },
    { kind: 'chart.set', payload: { ...on, id: 'ch-own', anchor: a1, spec } },
    { kind: 'chart.delete', payload: { id: 'ch-own' } },
    { kind: 'filter.set', payload: { ...on, range: `${a1}:D9` } },
    { kind: 'filter.clear', payload: on },
    { kind: 'rows.insert', payload: { ...on, before: 2 } },
    { kind: 'rows.delete', payload: { ...on, from: 4 } },
  ] as const;
  return operations[index % operations.length] ?? operations[0];
}

export const lineOperation: fc.Arbitrary<{ kind: string; payload: object }> = fc.oneof(
  of('rows.insert', fc.record({ sheet, before: row, count })),
  of('rows.delete', fc.record({ sheet, from: row, count })),
  of('rows.move', fc.record({ sheet, from: row, count, before: row })),
  of('cols.insert', fc.record({ sheet, before: column })),
  of('cols.delete', fc.record({ sheet, from: column })),
  of('cols.move', fc.record({ sheet, from: column, before: column })),
  of('sheet.rename', fc.record({ sheet, name: sheet })),
  of('sheet.delete', fc.record({ sheet })),
  of('sheet.add', fc.record({ name: sheet })),
  of('sheet.add', fc.record({ name: sheet, copyOf: sheet })),
);
