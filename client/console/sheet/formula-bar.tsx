import { useEffect, useState } from 'preact/hooks';

interface BarParts {
  readonly name: string;
  readonly input: string;
  readonly isLocked: boolean;
  readonly onGo: (text: string) => void;
  readonly onEnter: (text: string) => void;
  readonly onLeave: () => void;
}

/** The name of the selection, and the input of its active cell. */
export function FormulaBar({ name, input, isLocked, onGo, onEnter, onLeave }: BarParts) {
  const [place, setPlace] = useState(name);
  const [text, setText] = useState(input);
  useEffect(() => setPlace(name), [name]);
  useEffect(() => setText(input), [input, name]);
  const go = (event: Event) => {
    event.preventDefault();
    onGo(place);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.altKey) onEnter(text);
    else if (event.key === 'Escape') {
      setText(input);
      onLeave();
    } else return;
    event.preventDefault();
  };
  return (
    <div class="formula-bar">
      <form onSubmit={go}>
        <input
          class="name-box"
          aria-label="Go to cell"
          value={place}
          onInput={(event) => setPlace(event.currentTarget.value)}
        />
      </form>
      <textarea
        aria-label="Formula"
        rows={1}
        spellcheck={false}
        value={text}
        readOnly={isLocked}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
    </div>
  );
}
