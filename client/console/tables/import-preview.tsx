import { ChangeTable, type ChangePage } from './table-changes.tsx';
import type { Written } from './table.ts';

interface PreviewParts {
  readonly file: File;
  /** Result of the write on the trial branch. */
  readonly written: Written;
  readonly page: ChangePage;
  readonly isBusy: boolean;
  readonly onWrite: () => void;
}

/** Tells which rows of a file are new, changed, and refused, before they are written. */
export function ImportPreview({ file, written, page, isBusy, onWrite }: PreviewParts) {
  const { inserted, updated, unchanged, deleted, rejected, rejectedMore } = written;
  const count = inserted + updated + deleted;
  const refused = rejected.length + rejectedMore;
  const rows = { new: inserted, changed: updated, unchanged, deleted, refused };
  const more = page.total - page.changes.length;
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">What {file.name} would do</h2>
      <ul class="counts" aria-label="Rows">
        {Object.entries(rows).map(([name, number]) => (
          <li key={name}>
            <strong>{number.toLocaleString()}</strong> {name}
          </li>
        ))}
      </ul>
      <Refused written={written} />
      {page.changes.length > 0 && <ChangeTable changes={page.changes} />}
      {more > 0 && <p class="quiet">and {more.toLocaleString()} more rows that change</p>}
      <p>
        <button type="button" class="main" disabled={isBusy || count === 0} onClick={onWrite}>
          Write {count.toLocaleString()} {count === 1 ? 'row' : 'rows'}
        </button>
      </p>
    </section>
  );
}

/** Refused rows that are listed. */
const listedMost = 100;

function Refused({ written: { rejected, rejectedMore, refused } }: { readonly written: Written }) {
  if (rejected.length + refused.length === 0) return null;
  const more = Math.max(0, rejected.length - listedMost) + rejectedMore;
  return (
    <ul class="list" aria-label="Refused rows">
      {refused.map(({ rows: [first, last], code, message }) => (
        <li key={first}>
          Rows {(first + 1).toLocaleString()} to {(last + 1).toLocaleString()}: {message}{' '}
          <code class="quiet">{code}</code>
        </li>
      ))}
      {rejected.slice(0, listedMost).map(({ row, column, code, message }) => (
        <li key={`${row} ${column}`}>
          Row {row + 1}
          {column !== undefined && `, ${column}`}: {message} <code class="quiet">{code}</code>
        </li>
      ))}
      {more > 0 && <li class="quiet">and {more.toLocaleString()} more</li>}
    </ul>
  );
}
