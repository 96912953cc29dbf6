import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { columnsOf, wordsAgainst, type MatchRow, type MatchSide } from './match.ts';

interface RowParts {
  /** The workbook's address below /v1, and the position that was matched. */
  readonly book: string;
  readonly at: string;
  readonly side: MatchSide;
  readonly rowKey: MatchRow['leftKey'];
  /** The text that was compared, and that of the other row. */
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
      <p class="compared">
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

/** The number of a row counts from 1. */
function placeOf(rowNumber: RowParts['rowKey']): Record<string, string> {
  return { offset: String(Number(rowNumber) - 1), limit: '1' };
}

/** A key as a query has it: a text is in double quotes, so that it means no number. */
function spelled(key: RowParts['rowKey']): string {
  return typeof key === 'string' ? JSON.stringify(key) : String(key);
}
