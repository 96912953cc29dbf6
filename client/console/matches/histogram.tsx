import { bandOf, histogramOf, type Bounds, type Pair } from './match.ts';

interface HistogramParts {
  readonly pairs: readonly Pair[];
  readonly bounds: Bounds;
  readonly onMove: (bounds: Bounds) => void;
}

const parts = 40;
const [width, height] = [800, 120];

/** Frequencies of scores, coloured by their decision, with bounds that can be dragged. */
export function Histogram({ pairs, bounds, onMove }: HistogramParts) {
  const counts = histogramOf(pairs, parts);
  const most = Math.max(1, ...counts);
  const bar = width / parts;
  const counted = { accept: 0, review: 0, reject: 0 };
  for (const { score } of pairs) counted[bandOf(score, bounds)]++;
  const { accept, review, reject } = counted;
  return (
    <section aria-labelledby="scores">
      <h2 id="scores">Scores</h2>
      <svg
        class="histogram"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${pairs.length} pairs by score`}
      >
        {counts.map((count, index) => {
          const size = count === 0 ? 0 : Math.max(2, (count / most) * height);
          return (
            <rect
              key={index}
              class={bandOf((index + 0.5) / parts, bounds)}
              x={index * bar + 1}
              y={height - size}
              width={bar - 2}
              height={size}
            />
          );
        })}
        {[bounds.lo, bounds.hi].map((bound) => (
          <line key={bound} x1={bound * width} x2={bound * width} y1={0} y2={height} />
        ))}
      </svg>
      <Handle
        label="Refuse below"
        value={bounds.lo}
        onMove={(lo) => onMove({ lo, hi: Math.max(lo, bounds.hi) })}
      />
      <Handle
        label="Accept from"
        value={bounds.hi}
        onMove={(hi) => onMove({ hi, lo: Math.min(hi, bounds.lo) })}
      />
      <p role="status">
        By these bounds alone {accept} would be accepted, {review} reviewed and {reject} refused;
        the verifier decides about what lies between.
      </p>
    </section>
  );
}

interface HandleParts {
  readonly label: string;
  readonly value: number;
  readonly onMove: (value: number) => void;
}

function Handle({ label, value, onMove }: HandleParts) {
  const slide = ({
    currentTarget: { value: typed },
  }: {
    readonly currentTarget: HTMLInputElement;
  }) => onMove(Math.min(1, Math.max(0, Number(typed))));
  return (
    <div class="handle">
      <span aria-hidden="true">{label}</span>
      <input
        type="range"
        aria-label={label}
        min={0}
        max={1}
        step={0.01}
        value={value}
        onInput={slide}
      />
      <input
        type="number"
        aria-label={`${label}, as a number`}
        min={0}
        max={1}
        step={0.01}
        value={value.toFixed(2)}
        onChange={slide}
      />
    </div>
  );
}
