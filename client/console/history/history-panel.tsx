import { useState } from 'preact/hooks';

import { cellName } from '../../../server/model/address.ts';
import type { Screen } from '../address.ts';
import type { Selection } from '../grid/selection.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { Waiting } from '../shell/waiting.tsx';
import { loadState, type SheetOutline } from '../sheet/sheet-loading.ts';
import { groupsOf } from './groups.ts';
import { Filters, ofCell, ofFamily, type HistoryFilter } from './history-filters.tsx';
import { Steps } from './history-steps.tsx';
import { loadNamedPositions } from './named-positions.ts';
import { useSteps } from './use-steps.ts';

interface PanelParts {
  readonly screen: Extract<Screen, { name: 'sheet' }>;
  /** Newest sequence number that the page knows. */
  readonly head: number;
  readonly isLocked: boolean;
  readonly filter: HistoryFilter;
  readonly selection: Selection;
  readonly onClose: () => void;
}

/** Lists the operations of a branch, newest first, each as a link to the position after it. */
export function HistoryPanel(parts: PanelParts) {
  const { screen, head, isLocked, filter, selection, onClose } = parts;
  const { book, at } = screen;
  const { wanted, want } = filter;
  const sheets = useSheets(book, at.branch, head);
  const cell = cellName(selection.active.row, selection.active.column);
  const place = placeOf(sheets, { wanted: wanted.sheet, shown: screen.sheet, cell });
  const steps = useSteps({ book, branch: at.branch, head, ...place });
  const names = useNames(book, at.branch, head);
  const groups = groupsOf(ofFamily(steps.ops, wanted.family), names.value ?? new Map());
  const { person } = wanted;
  return (
    <aside class="beside" aria-label="History">
      <p class="actions spread">
        <h2>History of {at.branch}</h2>
        <button type="button" class="second" onClick={onClose}>
          Close
        </button>
      </p>
      {at.seq === undefined && !isLocked && (
        <NameIt book={book} branch={at.branch} onNamed={names.again} />
      )}
      <Filters
        people={[...new Set(steps.ops.map(({ by }) => by))]}
        sheets={sheets.map(({ name }) => name)}
        cell={cell}
        wanted={wanted}
        onWant={want}
      />
      {!steps.isLoaded && !steps.error && <Waiting label="The history is on the way" />}
      {steps.error && <Fault error={steps.error} again={steps.more} />}
      <Steps
        groups={groups.filter(({ by }) => person === '' || by === person)}
        newest={steps.newest}
        screen={screen}
        isFiltered={steps.isLoaded && Object.values(wanted).join('') !== ''}
      />
      {steps.hasMore && (
        <button type="button" class="second" onClick={steps.more}>
          Earlier changes
        </button>
      )}
    </aside>
  );
}

interface WantedPlace {
  /** Chosen sheet, or the mark of the selected cell. */
  readonly wanted: string;
  /** Name of the shown sheet. */
  readonly shown: string | undefined;
  readonly cell: string;
}

/** Returns the sheet, or the cell of the shown sheet, whose operations are wanted. */
function placeOf(sheets: readonly SheetOutline[], { wanted, shown, cell }: WantedPlace) {
  const name = wanted === ofCell ? (shown ?? sheets[0]?.name) : wanted;
  const touched = sheets.find((sheet) => sheet.name === name);
  return { touched, ...(touched && wanted === ofCell && { cell }) };
}

/** Returns the sheets of a branch. */
function useSheets(book: string, branch: string, head: number) {
  const { service } = useShell();
  const { value } = useLoaded(
    () => loadState(service, { workbookId: book, branch }),
    [book, branch, head],
  );
  return value?.sheets ?? [];
}

/** Returns the names of positions, by sequence. */
function useNames(book: string, branch: string, head: number) {
  const { service } = useShell();
  return useLoaded(
    async (signal) => {
      const named = await loadNamedPositions(service, book, signal);
      const here = named.filter((one) => one.branch === branch);
      return new Map(here.map(({ seq, name }) => [seq, name]));
    },
    [book, branch, head],
  );
}

interface NameParts {
  readonly book: string;
  readonly branch: string;
  readonly onNamed: () => void;
}

/** Form that names the current position of the branch. */
function NameIt({ book, branch, onNamed }: NameParts) {
  const { service, writer } = useShell();
  const [message, setMessage] = useState('');
  const [error, setError] = useState<Error>();
  const send = async () => {
    const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/commit`;
    await service.ask(path, { body: { message: message.trim(), writer } });
    setMessage('');
    setError(undefined);
    onNamed();
  };
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        send().catch(setError);
      }}
    >
      <input
        aria-label="Name of this version"
        placeholder="Name this version"
        required
        value={message}
        size={16}
        onInput={(event) => setMessage(event.currentTarget.value)}
      />
      <button type="submit" class="second">
        Keep the name
      </button>
      {error && <Fault error={error} />}
    </form>
  );
}
