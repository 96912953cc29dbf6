import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import { FormulaAssist } from '../formula/assist.ts';
import { pressedOf } from '../grid/typed-key.ts';
import { useShell } from '../shell/context.ts';
import { FormulaWords } from '../sheet/formula-words.ts';

interface FieldParts {
  readonly label: string;
  readonly book: string;
  /** Branch whose names a formula may have. */
  readonly branch: string;
  readonly sheets?: readonly string[];
  /** Called with what was typed. */
  readonly onTake: (typed: string) => void;
}

/** Field for the input of a cell, with the help that the formula bar gives. */
export function FormulaField(parts: FieldParts) {
  const { service } = useShell();
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(undefined);
  const latest = useRef(parts);
  latest.current = parts;
  const take = (event?: Event) => {
    event?.preventDefault();
    latest.current.onTake(field.current?.value ?? '');
  };
  useLayoutEffect(() => {
    const { book, branch } = parts;
    const made = document.createElement('textarea');
    made.id = id;
    made.rows = 1;
    made.required = true;
    made.spellcheck = false;
    const words = new FormulaWords(service, { workbookId: book, branch });
    const assist = new FormulaAssist(made, {
      vocabulary: (onMore) => words.vocabulary(latest.current.sheets ?? [], onMore),
      onReferences: () => undefined,
    });
    made.addEventListener('focus', () => assist.turn(true));
    made.addEventListener('blur', () => assist.turn(false));
    made.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      const isTaken = assist.press(pressedOf(event));
      const isEntered = !isTaken && event.key === 'Enter' && !event.altKey;
      if (isEntered) take();
      if (isTaken || isEntered) event.preventDefault();
    });
    field.current = made;
    host.current?.replaceChildren(assist.element);
  }, []);
  return (
    <form class="actions own-input" onSubmit={take}>
      <label for={id}>{parts.label}</label>
      <div class="formula-host" ref={host} />
      <button type="submit" class="second">
        Take it
      </button>
    </form>
  );
}
