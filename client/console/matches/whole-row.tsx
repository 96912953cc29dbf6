import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { columnsOf, wordsAgainst, type MatchRow, type MatchSide } from './match.ts';

interface RowParts {
  /** Address of the workbook below /v1, and the matched position. */
  readonly book: string;
  readonly at: string;
  readonly side: MatchSide;
  readonly rowKey: MatchRow['leftKey'];
  /** Compared text of this row, and of the other one. */
  readonly text: string;
  readonly other: string;
}

interface Row {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** A row of a pair with all of its columns; words that the other row lacks are marked. */
export function WholeRow({ book, at, side, rowKey, text, other }: RowParts) {
  const { service } = useShell();
  const { value, error } = useLoaded(
    (signal) => {
      const path = `/v1/workbooks/${book}/tables/${side.tableId}`;
      return service
        .ask<{ keyColumn: string | null }>(`${path}?ref=${encodeURIComponent(at)}`, { signal })
        .then(({ keyColumn }) => {
          const asked = keyColumn === null ? placeOf(rowKey) : { keys: spelled(rowKey) };
          const query = new URLSearchParams({ ref: at, as: 'lists', lens: 'formatted', ...asked });
          return service.ask<Row>(`${path}/rows?${query}`, { signal });
        });
    },
    [book, at, side.tableId, rowKey],
  );
  const compared = new Set(side.columns?.map(({ column }) => column) ?? [columnsOf(side)]);
  const [row = []] = value?.rows ?? [];
  const others = (value?.columns ?? []).flatMap((name, index): [string, string][] =>
    compared.has(name) ? [] : [[name, row[index] ?? '']],
  );
  return (
    <>
      <p class="words">
        {wordsAgainst(text, other).map(([word, isAlone], index) =>
          isAlone ? <mark key={index}>{word}</mark> : <span key={index}>{word}</span>,
        )}
      </p>
      {error && <Fault error={error} />}
      <dl class="row">
        {others.map(([name, shown]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{shown}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Returns the query for a row by its number, which counts from 1. */
function placeOf(rowNumber: RowParts['rowKey']): Record<string, string> {
  return { offset: String(Number(rowNumber) - 1), limit: '1' };
}

/** Returns a key for a query: a text is in double quotes, so that it is not read as a number. */
function spelled(key: RowParts['rowKey']): string {
  return typeof key === 'string' ? JSON.stringify(key) : String(key);
}
