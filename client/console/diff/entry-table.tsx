import type { Screen } from '../address.ts';
import { ScreenLink } from '../shell/link.tsx';
import { ChangeHead } from './change-head.tsx';
import type { DiffEntry } from './diff-page.ts';
import { Sign } from './sign.tsx';
import type { ShownParts } from './shown-choice.tsx';
import { Side } from './side.tsx';

interface TableParts {
  readonly entries: readonly DiffEntry[];
  /** Returns the screen of an entry that still exists. */
  readonly placeOf: (entry: DiffEntry) => Screen;
  /** Shows an entry in the cells beside the list; if undefined, places link to their sheets. */
  readonly onShow?: (entry: DiffEntry) => void;
  readonly parts?: ShownParts;
  /** Returns the screen of the former place of an entry that has moved. */
  readonly formerOf?: (entry: DiffEntry) => Screen | undefined;
}

/** Lists differences, a line for each, by sheet. */
export function EntryTable(given: TableParts) {
  const { entries, placeOf, onShow, parts = 'both', formerOf } = given;
  const isBySomebody = entries.some(({ by }) => by !== undefined);
  const columns = ['Where', 'Before', 'After', ...(isBySomebody ? ['By'] : [])];
  const groups = bySheet(entries);
  return (
    <table class="changes">
      <ChangeHead columns={columns} />
      {[...groups].map(([sheet, those]) => (
        <tbody key={sheet ?? ''}>
          {groups.size > 1 && (
            <tr class="group">
              <th scope="rowgroup" colSpan={columns.length + 1}>
                {sheet ?? 'The workbook'}
              </th>
            </tr>
          )}
          {those.map((entry) => (
            <tr
              key={entry.key}
              class={entry.change}
              tabIndex={-1}
              onFocusCapture={() => onShow?.(entry)}
            >
              <td>
                <Sign change={entry.change} />
              </td>
              <td>
                <Place entry={entry} placeOf={placeOf} onShow={onShow} />
                {entry.told && <div class="quiet">{entry.told}</div>}
                <Former to={formerOf?.(entry)} />
              </td>
              <td>{entry.before !== undefined && <Side side={entry.before} parts={parts} />}</td>
              <td>{entry.after !== undefined && <Side side={entry.after} parts={parts} />}</td>
              {isBySomebody && <td>{entry.by}</td>}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

function bySheet(entries: readonly DiffEntry[]): Map<string | undefined, DiffEntry[]> {
  const groups = new Map<string | undefined, DiffEntry[]>();
  for (const entry of entries) {
    const known = groups.get(entry.sheet);
    if (known) known.push(entry);
    else groups.set(entry.sheet, [entry]);
  }
  return groups;
}

/** Link to the other end of a move. */
function Former({ to }: { to: Screen | undefined }) {
  return to ? <ScreenLink to={to}>Where it was</ScreenLink> : null;
}

interface PlaceParts extends Pick<TableParts, 'placeOf'> {
  readonly entry: DiffEntry;
  readonly onShow: TableParts['onShow'];
}

/** Name of the place of an entry, as a link if it can be shown. */
function Place({ entry, placeOf, onShow }: PlaceParts) {
  const { sheet, place, isThere, isCell } = entry;
  // A sheet as a whole is its own place.
  const name = place === sheet ? place : [sheet, place].filter(Boolean).join('!');
  if (sheet !== undefined && isCell && onShow) {
    return (
      <button type="button" class="place" onClick={() => onShow(entry)}>
        {name}
      </button>
    );
  }
  if (!isThere || sheet === undefined) return <>{name}</>;
  return <ScreenLink to={placeOf(entry)}>{name}</ScreenLink>;
}
