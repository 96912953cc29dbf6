import { useState } from 'preact/hooks';

import { entriesOf, type DiffEntry } from '../diff/diff-page.ts';
import { LoadMore } from '../diff/load-more.tsx';
import { Side } from '../diff/side.tsx';
import { Sign } from '../diff/sign.tsx';
import { useDiff } from '../diff/use-diff.ts';
import { Fault } from '../shell/fault.tsx';
import type { Unit } from './review.ts';

/** A selection of changes, as a regrouping takes it. */
export interface ChangeMember {
  readonly sheet: string;
  readonly range: string;
  readonly kind?: string;
}

/** The ways in which a change becomes one of another part. */
export interface Moving {
  /** Parts that it can be moved to. */
  readonly others: readonly Unit[];
  readonly onMove: (member: ChangeMember, into: string) => void;
  /** Called when a drag of a change begins, and with undefined when it ends. */
  readonly onDrag: (member: ChangeMember | undefined) => void;
}

interface UnitChangeParts {
  readonly unit: Unit;
  /** Address of the diff of the merge. */
  readonly path: string;
  /** The merge as it was loaded last, after which the changes are loaded again. */
  readonly version: unknown;
  /** Undefined once the merge is over. */
  readonly moving: Moving | undefined;
}

/** Changes of a part, once they are asked for. */
export function UnitChanges({ unit, moving, ...asked }: UnitChangeParts) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Changes of {unit.title}</summary>
      {isOpen && <ChangeList {...{ unit, moving, ...asked }} />}
    </details>
  );
}

function ChangeList({ unit, path, version, moving }: UnitChangeParts) {
  const query = new URLSearchParams({ unit: unit.id, limit: '100' });
  const diff = useDiff(`${path}?${query}`, version);
  const entries = diff.pages.flatMap(entriesOf);
  return (
    <>
      {diff.error && <Fault error={diff.error} again={diff.more} />}
      <ul class="list" aria-label={`Changes of ${unit.title}`}>
        {entries.map((entry) => (
          <ChangeLine key={entry.key} entry={entry} moving={moving} />
        ))}
      </ul>
      {diff.hasMore && !diff.error && <LoadMore key={diff.pages.length} onMore={diff.more} />}
    </>
  );
}

/** A change of a part, which is moved to another one by dragging or by choice. */
function ChangeLine({ entry, moving }: { entry: DiffEntry; moving: Moving | undefined }) {
  const { change, sheet, place, told, before, after } = entry;
  const name = [sheet, place].filter(Boolean).join('!');
  const member = memberOf(entry);
  return (
    <li>
      <Sign change={change} />{' '}
      {moving && member ? <Handle {...{ name, member, moving }} /> : <strong>{name}</strong>}{' '}
      {told && <span class="quiet">{told} </span>}
      {before !== undefined && <Side side={before} />}
      {before !== undefined && after !== undefined && ' → '}
      {after !== undefined && <Side side={after} />}{' '}
      {moving && member && <MoveChoice {...{ name, member, moving }} />}
    </li>
  );
}

/** Returns the selection of a change; undefined where it lies in no cells. */
function memberOf({ key, sheet, place, isCell, told = '' }: DiffEntry): ChangeMember | undefined {
  if (sheet === undefined || !isCell || place === '') return undefined;
  // Lines are moved with all that is in them.
  if (/^(?:rows|columns) /u.test(told)) return { sheet, range: place };
  const kind = kindsOfLists.get(key.split(' ', 1)[0] ?? '');
  return kind === undefined ? undefined : { sheet, range: place, kind };
}

/** Kinds of changes by the list that they are in. */
const kindsOfLists: ReadonlyMap<string, string> = new Map([
  ['cells', 'cell.input'],
  ['collapsed', 'cell.input'],
  ['formats', 'format.cell'],
  ['properties', 'format.lines'],
  ['records', 'record.*'],
]);

interface MoveParts {
  readonly name: string;
  readonly member: ChangeMember;
  readonly moving: Moving;
}

/** Name of a change, by which it can be dragged. */
function Handle({ name, member, moving: { onDrag } }: MoveParts) {
  return (
    <strong
      class="handle"
      title="Drag it to the part that it belongs to"
      draggable
      onDragStart={(event) => {
        // The part around it can be dragged, too.
        event.stopPropagation();
        event.dataTransfer?.setData('text/plain', name);
        onDrag(member);
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      {name}
    </strong>
  );
}

/** Moves a change to another part, without dragging. */
function MoveChoice({ name, member, moving: { others, onMove } }: MoveParts) {
  return (
    <select
      aria-label={`Move ${name} to`}
      value=""
      onChange={(event) => onMove(member, event.currentTarget.value)}
    >
      <option value="">in this part</option>
      {others.map(({ id, title }) => (
        <option key={id} value={id}>
          to {title}
        </option>
      ))}
    </select>
  );
}
