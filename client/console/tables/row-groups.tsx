import { positionText } from '../address.ts';
import { ColumnHeads } from '../shell/column-heads.tsx';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { inputText } from '../sheet/input-text.ts';
import type { TableAddress } from './table-screen.tsx';
import type { GroupPage, TableView } from './table.ts';

interface GroupParts {
  readonly screen: TableAddress;
  readonly table: TableView;
  readonly path: string;
}

const numeric = new Set(['number', 'integer', 'any', undefined]);

/** Groups of rows with equal values, their counts, and sums of numeric columns. */
export function RowGroups({ screen, table, path }: GroupParts) {
  const { service } = useShell();
  const { at, where, group = '' } = screen;
  const query = new URLSearchParams({ ref: positionText(at), group, count: '', limit: '1000' });
  if (where !== undefined) query.set('where', where);
  for (const { name, type } of table.schema.columns) {
    const isCounted = numeric.has(type) && name !== group && name !== table.keyColumn;
    if (isCounted) query.append('sum', name);
  }
  const asked = `${path}/rows?${query}`;
  const { value, error, again } = useLoaded(
    (signal) => service.ask<GroupPage>(asked, { signal }),
    [asked],
  );
  if (error) return <Fault error={error} again={again} />;
  if (!value) return <p role="status">Grouping rows…</p>;
  const names = Object.keys(value.groups[0] ?? {});
  return (
    <>
      <p role="status">
        {value.total.toLocaleString()} groups by {group}
        {value.groups.length < value.total && `, the first ${value.groups.length} are shown`}
      </p>
      <div class="scrolling" role="group" aria-label="Groups" tabIndex={0}>
        <table>
          <ColumnHeads names={names} />
          <tbody>
            {value.groups.map((row, index) => (
              <tr key={index}>
                {names.map((name) => (
                  <td key={name}>{inputText(row[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
