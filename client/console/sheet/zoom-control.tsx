import type { Pressed } from '../grid/typed-key.ts';

const percents = [50, 75, 90, 100, 125, 150, 200];

interface ZoomParts {
  /** Zoom factor. */
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
}

/** Zoom control, with a way back to the usual size. */
export function ZoomControl({ zoom, onZoom }: ZoomParts) {
  const percent = percentOf(zoom);
  return (
    <span class="zoom" role="group" aria-label="Zoom">
      <button
        type="button"
        class="tool"
        aria-label="Smaller cells"
        {...stepParts(zoom, -1, onZoom)}
      >
        −
      </button>
      <button
        type="button"
        class="tool"
        title="Back to 100 %"
        aria-label={`Cells at ${percent} %: back to 100 %`}
        onClick={() => onZoom(1)}
      >
        {percent} %
      </button>
      <button type="button" class="tool" aria-label="Larger cells" {...stepParts(zoom, 1, onZoom)}>
        +
      </button>
    </span>
  );
}

/** Returns the zoom for Ctrl+Alt with plus, minus or 0; undefined for other keys. */
export function zoomOfKey(
  { key, ctrlKey, metaKey, altKey }: Pressed,
  zoom: number,
): number | undefined {
  if (!(ctrlKey || metaKey) || !altKey) return undefined;
  if (key === '0') return 1;
  if (key === '+' || key === '=') return stepped(zoom, 1);
  return key === '-' ? stepped(zoom, -1) : undefined;
}

function stepParts(zoom: number, sign: 1 | -1, onZoom: ZoomParts['onZoom']) {
  const next = stepped(zoom, sign);
  return { disabled: next === zoom, onClick: () => onZoom(next) };
}

/** Returns the next larger or smaller zoom. */
function stepped(zoom: number, sign: 1 | -1): number {
  const now = percentOf(zoom);
  const next = sign > 0 ? percents.find((one) => one > now) : percents.findLast((one) => one < now);
  return next === undefined ? zoom : next / 100;
}

function percentOf(zoom: number): number {
  return Math.round(zoom * 100);
}
