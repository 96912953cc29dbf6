import type { ComponentChildren } from 'preact';

import { screenPath, type Screen } from '../address.ts';
import { useShell } from './context.ts';

/** A link to a screen that the page itself follows; a new tab works as everywhere. */
export function ScreenLink({ to, children }: { to: Screen; children: ComponentChildren }) {
  const { go } = useShell();
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={screenPath(to)} onClick={follow}>
      {children}
    </a>
  );
}
