import type { ComponentChildren } from 'preact';

import { screenPath, type Screen } from '../address.ts';
import { useShell } from './context.ts';

interface LinkParts {
  readonly to: Screen;
  readonly children: ComponentChildren;
  /** True for the link to what is shown. */
  readonly isCurrent?: boolean;
  /** A class for its look. */
  readonly name?: string;
}

/** A link to a screen that the page itself follows; a new tab works as everywhere. */
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
