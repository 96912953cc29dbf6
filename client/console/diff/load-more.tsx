import { useEffect, useRef } from 'preact/hooks';

/** Loads more once it comes into view. */
export function LoadMore({ onMore }: { onMore: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!button.current) return undefined;
    const seen = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) onMore();
    });
    seen.observe(button.current);
    return () => seen.disconnect();
  }, []);
  return (
    <button ref={button} type="button" class="second" onClick={onMore}>
      More of it
    </button>
  );
}
