import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { useModal } from '../shell/modal.ts';
import type { SheetOutline } from './sheet-loading.ts';
import { loadLoss, type SheetLoss } from './sheet-loss.ts';
import type { SheetSession } from './sheet-session.ts';

interface DeleteParts {
  readonly session: SheetSession;
  readonly sheet: SheetOutline;
  readonly onClose: () => void;
}

const namedMost = 8;

/** Confirms the deletion of a sheet: what is lost with it, and what depends on it. */
export function DeleteSheet({ session, sheet, onClose }: DeleteParts) {
  const { id, name, used } = sheet;
  const { workbookId, at } = session.place;
  const { attributes } = useModal(onClose);
  const loss = useLoaded(
    () => loadLoss(session.service, { workbookId, branch: at.branch }, sheet),
    [id],
  );
  const drop = () => {
    session.hand({ kind: 'sheet.delete', payload: { sheet: id } });
    session.clipboard.tell(`“${name}” is deleted.`, () => session.undo(false));
  };
  return (
    <dialog {...attributes} aria-label={`Delete the sheet ${name}`}>
      <form method="dialog" class="fields">
        <h2>Delete “{name}”?</h2>
        <p>{used === null ? 'It is blank.' : `Its cells ${used} go with it.`}</p>
        {loss.value && <Told loss={loss.value} />}
        {loss.error && <Fault error={loss.error} again={loss.again} />}
        <p class="quiet" role="status">
          {!loss.value && !loss.error && 'Looking which formulas need it…'}
        </p>
        <p class="actions">
          <button type="submit" class="main" onClick={drop}>
            Delete the sheet
          </button>
          <button type="submit" class="second">
            Leave it
          </button>
        </p>
      </form>
    </dialog>
  );
}

function Told({ loss: { tables, names, broken, brokenCount, untold } }: { loss: SheetLoss }) {
  const isOne = brokenCount === 1;
  return (
    <>
      {tables.length > 0 && (
        <p>
          {tables.length === 1 ? 'With it goes its table' : 'With it go its tables'}{' '}
          {listed(tables, tables.length)}.
        </p>
      )}
      {names.length > 0 && (
        <p>
          {names.length === 1 ? 'The name' : 'The names'} {listed(names, names.length)} will name
          nothing any more.
        </p>
      )}
      {untold !== undefined && <p>Nobody can say now which formulas need it: {untold}</p>}
      {untold === undefined && brokenCount === 0 && <p>No formula elsewhere needs it.</p>}
      {brokenCount > 0 && (
        <p>
          <strong>
            {brokenCount.toLocaleString()} {isOne ? 'formula' : 'formulas'}
          </strong>{' '}
          elsewhere will say <code>#REF!</code>: {listed(broken, brokenCount)}.
        </p>
      )}
    </>
  );
}

/** Lists the first items: `A1, A2 and 5 more`. */
function listed(some: readonly string[], count: number): string {
  const named = some.slice(0, namedMost);
  const more = count - named.length;
  return more > 0 ? `${named.join(', ')} and ${more.toLocaleString()} more` : named.join(', ');
}
