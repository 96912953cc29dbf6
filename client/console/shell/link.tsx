import type { ComponentChildren } from 'preact';

import { screenPath, type Screen } from '../address.ts';
import { useShell } from './context.ts';

interface LinkParts {
  readonly to: Screen;
  readonly children: ComponentChildren;
  /** True for a link to the shown screen. */
  readonly isCurrent?: boolean;
  /** Class for its style. */
  readonly name?: string;
}

/** Link to a screen, which the page follows without loading; a new tab works as usual. */
export function ScreenLink({ to, children, isCurrent, name }: LinkParts) {
  const { go } = useShell();
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      href={screenPath(to)}
      onClick={follow}
      {...(isCurrent === true && { 'aria-current': 'page' })}
      {...(name !== undefined && { class: name })}
    >
      {children}
    </a>
  );
}
