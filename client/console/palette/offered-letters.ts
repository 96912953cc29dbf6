import { useEffect } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { pressLetter } from '../shell/letter-key.ts';

/** Offers what letters alone do on a screen in the palette, whether they are commands or not. */
export function useOfferedLetters(letters: readonly (readonly [key: string, label: string])[]) {
  const { offer } = useShell();
  useEffect(() => {
    offer(
      letters.map(([key, label]) => ({
        kind: 'command',
        label,
        keys: key === key.toLowerCase() ? key.toUpperCase() : `Shift+${key}`,
        run: () => pressLetter(key),
      })),
    );
    return () => offer([]);
  }, [letters]);
}
