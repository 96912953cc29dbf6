import { Side } from '../diff/side.tsx';
import { FormulaField } from './formula-field.tsx';
import { OtherKey } from './other-key.tsx';
import { RowAround, type RowSource } from './row-around.tsx';
import type { Conflict, ConflictSide } from './review.ts';
import { isShift, shiftChoice, shiftWords } from './shift-words.ts';
import { kindText } from './words.ts';
import { Written } from './written.tsx';

/** Branches of the two sides. */
export interface SideNames {
  readonly ours: string;
  readonly theirs: string;
}

export interface Choosing {
  readonly onChoose: (choice: string | null) => void;
  /** Called with a typed value that is on neither side. */
  readonly onOwn: (typed: string) => void;
  /** Gives the row of a side another key. */
  readonly onRekey: (side: string, newKey: unknown) => void;
  readonly onAllAlike: (choice: string) => void;
}

interface CardParts {
  readonly conflict: Conflict;
  /** Name of the place for people, such as `Rent, Jan`; empty if there is none. */
  readonly label: string;
  /** Text of the cell in the merge so far; undefined if the conflict is no cell. */
  readonly result: string | undefined;
  /** Source of the row of a conflict; undefined if it is not shown. */
  readonly rows: RowSource | undefined;
  readonly names: SideNames;
  readonly isCurrent: boolean;
  /** Makes it the current one. */
  readonly onCurrent?: (() => void) | undefined;
  /** Handlers of choices; undefined once the merge is closed. */
  readonly choosing: Choosing | undefined;
}

const cellsMost = 5;

/** Choices that are not a side. */
const otherChoices = [
  ['combine', 'Combine both'],
  ['keep', 'Keep it'],
  ['delete', 'Delete it'],
  ['both', 'Take both'],
] as const;

/** One conflict: its place, the three sides, and a button for each possible choice. */
export function ConflictCard({ conflict, label, result, rows, ...parts }: CardParts) {
  const { names, isCurrent, choosing, onCurrent } = parts;
  const { choices, resolution, status } = conflict;
  const text = titleOf(conflict);
  return (
    <article
      class={isCurrent ? 'conflict current' : 'conflict'}
      aria-label={[text, label].filter(Boolean).join(', ')}
      tabIndex={-1}
      onClick={onCurrent}
    >
      <Heading conflict={conflict} label={label} />
      <dl class="sides">
        {sidesOf(conflict, names).map(({ choice, name, button, key, side }) => (
          <ShownSide
            key={choice}
            name={name}
            side={side}
            book={rows?.book}
            isChosen={resolution?.choice === choice}
            {...(choosing &&
              choices.includes(choice) && {
                button,
                letter: isCurrent ? key : undefined,
                onTake: () => choosing.onChoose(choice),
              })}
          />
        ))}
        {resolution?.choice === 'custom' && (
          <ShownSide name="an input of its own" side={{ input: resolution.input }} isChosen />
        )}
        {result !== undefined && <Result text={result} isOpen={status === 'open'} />}
      </dl>
      {isShift(conflict) && <p class="quiet">{shiftChoice}</p>}
      {rows && <RowAround conflict={conflict} rows={rows} />}
      {choosing ? (
        <More conflict={conflict} {...choosing} />
      ) : (
        resolution && <p class="quiet">{chosenText(resolution.choice)} was chosen</p>
      )}
      {choosing && <Others {...{ choices, choosing, rows, onCurrent }} branch={names.ours} />}
    </article>
  );
}

interface OtherParts extends Pick<OwnParts, 'rows' | 'onCurrent' | 'branch'> {
  readonly choices: readonly string[];
  readonly choosing: Choosing;
}

/** Choices for which something has to be typed. */
function Others({ choices, choosing, ...place }: OtherParts) {
  return (
    <>
      {choices.includes('rekey') && <OtherKey onRekey={choosing.onRekey} />}
      {choices.includes('custom') && <Own {...place} onTake={choosing.onOwn} />}
    </>
  );
}

interface OwnParts extends Pick<CardParts, 'rows' | 'onCurrent'> {
  /** Branch whose names a formula may have. */
  readonly branch: string;
  readonly onTake: Choosing['onOwn'];
}

/** Field for a value that is on neither side; other conflicts than the current one ask for it. */
function Own({ rows, onCurrent, branch, onTake }: OwnParts) {
  const label = 'Or an input of your own';
  if (rows) return <FormulaField {...{ label, branch, onTake }} book={rows.book} />;
  return (
    <p class="actions">
      <button type="button" class="second" onClick={onCurrent}>
        {label}
      </button>
    </p>
  );
}

function titleOf(conflict: Conflict): string {
  return isShift(conflict) ? 'Which cells are shifted' : conflict.text;
}

function Heading({ conflict, label }: Pick<CardParts, 'conflict' | 'label'>) {
  const { kind, status, previousResolution } = conflict;
  return (
    <h3>
      {titleOf(conflict)} {label !== '' && <strong class="place-name">{label}</strong>}{' '}
      <span class="quiet">{isShift(conflict) ? 'each in its way' : kindText(kind)}</span>{' '}
      <span class={`state ${status}`}>{status}</span>
      {previousResolution && (
        <span class="quiet"> {previousResolution.choice} was chosen before the sides changed</span>
      )}
    </h3>
  );
}

/** Text of the cell in the merge so far, in which an open conflict counts as settled for ours. */
function Result({ text, isOpen }: { text: string; isOpen: boolean }) {
  return (
    <div class="side result">
      <dt>merged {isOpen && <span class="quiet">while nothing is chosen</span>}</dt>
      <dd>{text === '' ? <span class="quiet">blank</span> : <output>{text}</output>}</dd>
    </div>
  );
}

function chosenText(choice: string): string {
  return choice === 'custom' ? 'An input of its own' : `“${choice}”`;
}

function sidesOf({ base, ours, theirs }: Conflict, names: SideNames) {
  const [main, other] = [`ours (${names.ours})`, `theirs (${names.theirs})`];
  return [
    { choice: 'base', name: 'base', button: 'Take the base', key: 'B', side: base },
    { choice: 'ours', name: main, button: 'Take ours', key: 'O', side: ours },
    { choice: 'theirs', name: other, button: 'Take theirs', key: 'T', side: theirs },
  ];
}

/** Choices that are not a side, and actions on a settled conflict. */
function More({
  conflict: { kind, choices, resolution },
  onChoose,
  onAllAlike,
}: Pick<CardParts, 'conflict'> & Choosing) {
  return (
    <p class="actions">
      {otherChoices
        .filter(([choice]) => choices.includes(choice))
        .map(([choice, label]) => (
          <button
            key={choice}
            type="button"
            class="second"
            aria-pressed={resolution?.choice === choice}
            onClick={() => onChoose(choice)}
          >
            {label}
          </button>
        ))}
      {resolution && (
        <button type="button" class="second" onClick={() => onChoose(null)}>
          Take the choice back
        </button>
      )}
      {resolution && resolution.choice !== 'custom' && (
        <button type="button" class="second" onClick={() => onAllAlike(resolution.choice)}>
          And all others where {kindText(kind)}
        </button>
      )}
    </p>
  );
}

interface SideParts {
  readonly name: string;
  readonly side: ConflictSide;
  /** Workbook, where the time of the operation is shown as well. */
  readonly book?: string | undefined;
  readonly isChosen: boolean;
  /** Text of the button; undefined if the side cannot be chosen. */
  readonly button?: string;
  /** Key for the current conflict that does the same. */
  readonly letter?: string | undefined;
  readonly onTake?: () => void;
}

function ShownSide({ name, side, book, isChosen, button, letter, onTake }: SideParts) {
  return (
    <div class={isChosen ? 'side chosen' : 'side'}>
      <dt>
        {name} {side.by !== undefined && <Written side={side} book={book} />}
      </dt>
      <dd>
        <SideText side={side} />
        {onTake && (
          <div>
            <button type="button" class="second" aria-pressed={isChosen} onClick={onTake}>
              {button} {letter !== undefined && <kbd aria-hidden="true">{letter}</kbd>}
            </button>
          </div>
        )}
      </dd>
    </div>
  );
}

/** Changes of a line, whose cells are described separately. */
const lineChanges: Readonly<Record<string, string>> = {
  removed: 'deleted it',
  moved: 'moved it',
  formatted: 'changed how it looks',
  modified: 'wrote to it',
};

function SideText({ side }: { side: ConflictSide }) {
  const { terms, change, value, cells = [] } = side;
  if (terms) return <Terms terms={terms} />;
  if (!('input' in side) && value === undefined) {
    if (change === undefined) return <span class="quiet">as it was before both</span>;
    return (
      <>
        <span>{lineChanges[change] ?? change}</span>
        {cells.slice(0, cellsMost).map(({ a1, input }) => (
          <div key={a1}>
            <span class="quiet">{a1}</span> <Side side={{ input }} />
          </div>
        ))}
        {cells.length > cellsMost && <div class="quiet">and {cells.length - cellsMost} more</div>}
      </>
    );
  }
  if (change === 'removed' || change === 'moved') return <Gone change={change} value={value} />;
  return <Side side={'input' in side ? side : { input: value }} />;
}

/** Side whose cells are somewhere else, or nowhere. */
function Gone({ change, value }: Pick<ConflictSide, 'change' | 'value'>) {
  const shifted = shiftWords(value);
  if (change === 'moved' && shifted !== undefined) return <span>{shifted}</span>;
  return (
    <span>
      {change} <Side side={{ input: value }} />
    </span>
  );
}

/** Lists the results of earlier merges on the branches when there are several bases. */
function Terms({ terms }: { terms: readonly unknown[] }) {
  if (terms.length === 0) return <span class="quiet">earlier merges decided differently</span>;
  return (
    <>
      <span class="quiet">earlier merges decided: </span>
      {terms.map((term, index) => (
        <span key={index}>
          {index > 0 && <span class="quiet"> or </span>}
          <Side side={{ input: term }} />
        </span>
      ))}
    </>
  );
}
