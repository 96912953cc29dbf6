import { placeText, type LivePeer } from '../store/peers.ts';
import type { Following } from './following.ts';

const shownCharacters = 12;

interface FaceParts {
  readonly peers: readonly LivePeer[];
  readonly following: Following;
}

/** People and agents on this branch; a press on one keeps their cell in view. */
export function Faces({ peers, following: { followed, follow } }: FaceParts) {
  if (peers.length === 0) return null;
  return (
    <ul class="faces" aria-label="Who else is here">
      {peers.map((peer) => (
        <li key={peer.session}>
          <button
            type="button"
            class={`second ${peer.kind === 'agent' ? 'agent' : 'person'}`}
            aria-pressed={followed?.session === peer.session}
            aria-label={`Follow ${peer.name}`}
            title={`${peer.name}${placeText(peer)}: follow`}
            onClick={() => follow(peer)}
          >
            {peer.name.slice(0, shownCharacters)}
          </button>
        </li>
      ))}
      {followed && (
        <li class="quiet">
          <span role="status">You follow {followed.name}</span>
        </li>
      )}
    </ul>
  );
}
