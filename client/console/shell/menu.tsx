import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface MenuParts {
  /** Position of the menu; by default below and to the right. */
  readonly place?: 'left' | 'up';
  /** Content of the button. */
  readonly title: ComponentChildren;
  /** Name for screen readers, if the title is no text. */
  readonly label?: string;
  /** Called when Escape closes the menu; by default its button gets the focus. */
  readonly onLeave?: () => void;
  /** True to open it at first, with its first field selected. */
  readonly isAsked?: boolean;
  readonly children: (close: () => void) => ComponentChildren;
}

/** Button with a menu, which Escape, a link in it or a press outside closes. */
export function Menu({ place, title, label, onLeave, isAsked = false, children }: MenuParts) {
  const host = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(isAsked);
  // Before the next key: an effect after the picture would leave it to the cells.
  useLayoutEffect(() => {
    const field = isAsked ? host.current?.querySelector('input') : undefined;
    field?.focus();
    field?.select();
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
