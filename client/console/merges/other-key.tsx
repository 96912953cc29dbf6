import { useState } from 'preact/hooks';

import { readEntered } from '../../../server/model/typed-input.ts';

interface KeyParts {
  readonly onRekey: (side: string, newKey: unknown) => void;
}

const sides = [
  ['ours', 'our row'],
  ['theirs', 'their row'],
] as const;

/** Gives one of two rows under one key another key, so that both stay. */
export function OtherKey({ onRekey }: KeyParts) {
  const [side, setSide] = useState('theirs');
  const [key, setKey] = useState('');
  const give = (event: Event) => {
    event.preventDefault();
    onRekey(side, readEntered(key).input);
  };
  return (
    <form class="actions" onSubmit={give}>
      <label>
        Or keep both, and give
        <select value={side} onChange={(event) => setSide(event.currentTarget.value)}>
          {sides.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        the key
        <input value={key} required onInput={(event) => setKey(event.currentTarget.value)} />
      </label>
      <button type="submit" class="second">
        Give it the key
      </button>
    </form>
  );
}
