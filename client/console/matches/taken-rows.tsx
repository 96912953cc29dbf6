import type { Decided, Taken } from './decisions.ts';
import type { Pair } from './match.ts';

interface TakenParts {
  readonly taken: Taken;
  readonly decide: (decisions: readonly Decided[]) => Promise<void>;
  readonly onKeep: () => void;
}

/** Asks which of two partners a row has: the accepted one, or the one that was accepted now. */
export function TakenRows({ taken: { wanted, others }, decide, onKeep }: TakenParts) {
  const change = () =>
    void decide([
      ...others.map((pair) => decided(pair, 'reject')),
      ...wanted.map((pair) => decided(pair, 'accept')),
    ]);
  return (
    <div class="banner" role="alert">
      <span>
        A row has one partner here: {others.map(pairText).join('; ')}{' '}
        {others.length === 1 ? 'is' : 'are'} accepted already.
      </span>
      <button type="button" class="second" onClick={change}>
        Take {wanted.map(pairText).join('; ')} instead
      </button>
      <button type="button" class="second" onClick={onKeep}>
        Leave it so
      </button>
    </div>
  );
}

function decided({ leftKey, rightKey }: Pair, decision: Decided['decision']): Decided {
  return { leftKey, rightKey, decision };
}

function pairText({ leftKey, leftValue, rightKey, rightValue }: Pair): string {
  return `“${leftValue ?? String(leftKey)}” with “${rightValue ?? String(rightKey)}”`;
}
