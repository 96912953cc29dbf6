import type { Pending } from '../../library/pending.ts';
import { useLoaded } from '../shell/loaded.ts';
import { memberText, placeOf, toldOf, type Op } from '../store/overlay.ts';
import { loadInput } from './cell-reads.ts';
import type { SheetSession } from './sheet-session.ts';

interface HeldParts {
  readonly session: SheetSession;
}

/**
 * Lists edits that were typed for another history of the branch beside what is there now, each to
 * be sent again or discarded.
 */
export function HeldEdits({ session }: HeldParts) {
  const { edits } = session;
  return (
    <section class="tray" role="alert" aria-label="Edits that wait for you">
      <p class="actions">
        <span>
          The branch is another one than when you typed this, or has lost operations. Keep what
          still holds:
        </span>
        <button type="button" class="second" onClick={() => edits.offerAgain()}>
          Send them
        </button>
      </p>
      <ul class="list">
        {edits.waiting.map((pending) => (
          <HeldEdit key={pending.submission} session={session} pending={pending} />
        ))}
      </ul>
    </section>
  );
}

interface EditParts extends HeldParts {
  readonly pending: Pending;
}

function HeldEdit({ session, pending }: EditParts) {
  const ops = pending.ops as readonly Op[];
  const text = ops.map(toldOf).join(', ');
  return (
    <li>
      <span>{text}</span>
      {ops.length === 1 && ops.map((op) => <NowThere key={0} session={session} op={op} />)}
      <button
        type="button"
        class="second"
        aria-label={`Discard ${text}`}
        onClick={() => void session.edits.discard(pending)}
      >
        Discard
      </button>
    </li>
  );
}

/** Input that the cell of an edit has now. */
function NowThere({ session, op }: HeldParts & { readonly op: Op }) {
  const { service, source, shownSeq, sheets } = session;
  const place = placeOf(op);
  const named = memberText(op.payload, 'sheet');
  const sheet = sheets.find(({ id, name }) => id === named || name === named)?.name;
  const { value } = useLoaded(
    async () => place && sheet !== undefined && loadInput(service, { ...source, sheet }, place),
    [shownSeq, sheet],
  );
  if (!place) return null;
  if (sheet === undefined) return <span class="quiet">its sheet is not there</span>;
  if (value === undefined || value === false) return null;
  return <span class="quiet">{value === '' ? 'blank now' : `now there: ${value}`}</span>;
}
