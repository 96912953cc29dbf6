import { inputText } from '../sheet/input-text.ts';
import type { TableColumn, TableView } from './table.ts';

/** Place of a table, and its columns with their types and constraints. */
export function TableSchema({ table }: { readonly table: TableView }) {
  const { schema, keyColumn, sheet, range, rowCount } = table;
  return (
    <>
      <p class="quiet">
        {rowCount.toLocaleString()} rows at {sheet}!{range}
      </p>
      <ul class="counts" aria-label="Columns">
        {schema.columns.map((column) => (
          <li key={column.name}>
            <strong>{column.name}</strong>{' '}
            {constraintsOf(column, column.name === keyColumn).join(', ')}
            {column.formula !== undefined && <code> {column.formula}</code>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Allowed values that are named. */
const namedMost = 8;

/** Returns what a column wants of its values, in words. */
function constraintsOf(column: TableColumn, isKey: boolean): readonly string[] {
  const { type = 'any', nullable, enum: allowed, default: fallback } = column;
  return [
    type,
    ...(isKey ? ['key'] : []),
    ...(nullable === false ? ['never blank'] : []),
    ...(allowed ? [allowedText(allowed)] : []),
    ...(fallback === undefined ? [] : [`${inputText(fallback)} if left out`]),
  ];
}

function allowedText(allowed: readonly unknown[]): string {
  const named = allowed.slice(0, namedMost).map(inputText).join(' | ');
  const more = allowed.length - namedMost;
  return more > 0 ? `one of ${named} and ${more} more` : `one of ${named}`;
}
