import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface MenuParts {
  /** Where the lines of the menu stand: below to the right when left out. */
  readonly place?: 'left' | 'up';
  /** Shown on the button that opens it. */
  readonly title: ComponentChildren;
  /** The name for screen readers, where the title is no text. */
  readonly label?: string;
  /** Somebody leaves it by Escape: where that leads elsewhere than to its button. */
  readonly onLeave?: () => void;
  /** It is open from the first, with its first field chosen. */
  readonly isAsked?: boolean;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a menu; Escape closes it, a link in it, and whatever is pressed outside. */
export function Menu({ place, title, label, onLeave, isAsked = false, children }: MenuParts) {
  const host = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(isAsked);
  useEffect(() => {
    if (isAsked) host.current?.querySelector('input')?.select();
  }, []);
  const close = () => setOpen(false);
  const isInside = (target: EventTarget | null) =>
    target instanceof Node && host.current?.contains(target) === true;
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPress = ({ target }: PointerEvent) => {
      if (!isInside(target)) close();
    };
    window.addEventListener('pointerdown', onPress);
    return () => window.removeEventListener('pointerdown', onPress);
  }, [isOpen]);
  return (
    <details
      ref={host}
      class={place === undefined ? 'menu' : `menu ${place}`}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('a')) close();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        close();
        if (onLeave) onLeave();
        else event.currentTarget.querySelector('summary')?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget !== null && !isInside(relatedTarget)) close();
      }}
    >
      <summary class={place && 'tool'} aria-label={label}>
        {title}
      </summary>
      {isOpen && <div class="menu-body">{children(close)}</div>}
    </details>
  );
}
