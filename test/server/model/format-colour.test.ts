import t from 'tap';
import { formatColour } from '../../../server/model/format-colour.ts';

const cases: readonly (readonly [code: string, value: unknown, colour: string | undefined])[] = [
  ['[Red]-0;[Blue]0', 5, '#ff0000'],
  ['[Red]-0;[Blue]0', -5, '#0000ff'],
  ['#,##0;[Red]-#,##0', 5, undefined],
  ['#,##0;[Red]-#,##0', -5, '#ff0000'],
  ['0;[Red]-0;[Color10]0', 0, '#008000'],
  ['0;[Red]-0;[Color57]0', 0, undefined],
  ['[Green][>100]0;[Yellow][<10]0;0', 101, '#00ff00'],
  ['[Green][>100]0;[Yellow][<10]0;0', 9, '#ffff00'],
  ['[Green][>100]0;[Yellow][<10]0;0', 50, undefined],
  ['[magenta][>=5]0', 4, undefined],
  ['0;0;0;[Cyan]@', 'text', '#00ffff'],
  ['[Cyan]@', 'text', '#00ffff'],
  ['[Red]0', 'text', undefined],
  ['0;[White]@', -1, undefined],
  ['"[Red];"0;[Black]0', 1, undefined],
  ['\\[Red]0', 1, undefined],
  ['[h]:mm;[Red]-0', 1, undefined],
  ['[Red]0', true, undefined],
  ['General', 1, undefined],
];

for (const [code, value, colour] of cases) {
  t.test(`${JSON.stringify(value)} as ${code}`, (t) => {
    t.equal(formatColour(code, value), colour);
    t.end();
  });
}
