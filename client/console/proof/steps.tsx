import type { Step } from './check.ts';

/** Shows the steps of a check, each with its result. */
export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol class="list" aria-label="Checks">
      {steps.map(({ name, found, isGood, way = [] }) => (
        <li key={name} class={isGood ? 'added' : 'removed'}>
          <strong>
            {isGood ? 'Holds' : 'Fails'}: {name}
          </strong>
          <div class="hash">{found}</div>
          {way.length > 0 && <Way way={way} />}
        </li>
      ))}
    </ol>
  );
}

/** Hashes from an entry to the signed root, step by step. */
function Way({ way }: { readonly way: NonNullable<Step['way']> }) {
  return (
    <details>
      <summary>
        {way.length === 1 ? 'One hash' : `${way.length} hashes`} from the entry to the root
      </summary>
      <ol aria-label="Hashes to the root">
        {way.map(({ side, sibling, hash }) => (
          <li key={hash} class="hash">
            with <code>{sibling}</code> on its {side}: <code>{hash}</code>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Shown by a browser that checks no signatures. */
export function CannotCheck() {
  return (
    <p role="alert" class="banner alarm">
      This browser has no Ed25519, so that it cannot check signatures. Keep the proof as a file, and
      check it with <code>quire verify</code>.
    </p>
  );
}

interface TrustParts {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** The policy that checks go by, which may be replaced by one's own. */
export function Trust({ text, onChange }: TrustParts) {
  return (
    <details>
      <summary>Whom to trust</summary>
      <label>
        Policy: keys of the log and of its witnesses
        <textarea
          class="policy"
          rows={6}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </label>
    </details>
  );
}
