import type { Icon } from '../store/rule-icons.ts';
import type { Palette } from './colours.ts';
import type { Box } from './panes.ts';

const sizePx = 12;
const gapPx = 3;

/** Draws an icon in a square of 1 by 1; `share` goes from 0, the lowest icon, to 1, the highest. */
type Draw = (context: CanvasRenderingContext2D, share: number, icon: Icon) => void;

type Points = readonly (readonly [number, number])[];

const [diamond, triangle]: readonly [Points, Points] = [
  [
    [0.5, 0],
    [1, 0.5],
    [0.5, 1],
    [0, 0.5],
  ],
  [
    [0.5, 0.05],
    [1, 0.95],
    [0, 0.95],
  ],
];

/**
 * Drawings by the name of the icon set, of which the first that fits is used; any other set has
 * circles.
 */
const families: readonly (readonly [RegExp, Draw])[] = [
  [/Arrows/u, drawArrow],
  [/Triangles/u, drawTriangle],
  [/Flags/u, drawFlag],
  [/Signs/u, drawSign],
  [/Symbols/u, drawSymbol],
  [/Quarters/u, drawQuarter],
  [/Rating|Boxes|Stars/u, drawBars],
];

/** Draws the icon of a cell, on the side where columns begin. */
export function paintIcon(
  context: CanvasRenderingContext2D,
  palette: Palette,
  { icon, box }: { readonly icon: Icon; readonly box: Box },
): void {
  const share = icon.count < 2 ? 1 : icon.rank / (icon.count - 1);
  const colour = colourOf(icon, palette, share);
  const draw = families.find(([name]) => name.test(icon.set))?.[1] ?? drawCircle;
  context.save();
  context.translate(box.x + gapPx, box.y + (box.height - sizePx) / 2);
  context.scale(sizePx, sizePx);
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineWidth = 0.18;
  draw(context, share, icon);
  context.restore();
}

function colourOf({ set }: Icon, palette: Palette, share: number): string {
  if (/Gray|Quarters|Rating|Boxes/u.test(set)) return palette.quiet;
  if (share === 0) return palette.minus;
  return share === 1 ? palette.plus : palette.move;
}

function fill(context: CanvasRenderingContext2D, points: Points): void {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.fill();
}

function stroke(context: CanvasRenderingContext2D, points: Points): void {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.stroke();
}

function drawCircle(context: CanvasRenderingContext2D): void {
  context.beginPath();
  context.arc(0.5, 0.5, 0.5, 0, 2 * Math.PI);
  context.fill();
}

/** An arrow from straight down to straight up. */
function drawArrow(context: CanvasRenderingContext2D, share: number): void {
  context.translate(0.5, 0.5);
  context.rotate(Math.PI / 2 - share * Math.PI);
  context.fillRect(-0.5, -0.12, 0.6, 0.24);
  fill(context, [
    [0, -0.42],
    [0.5, 0],
    [0, 0.42],
  ]);
}

function drawTriangle(context: CanvasRenderingContext2D, share: number): void {
  if (share > 0 && share < 1) {
    context.fillRect(0, 0.38, 1, 0.24);
    return;
  }
  fill(context, share === 1 ? triangle : triangle.map(([x, y]) => [x, 1 - y] as const));
}

function drawFlag(context: CanvasRenderingContext2D): void {
  context.fillRect(0.1, 0, 0.12, 1);
  fill(context, [
    [0.2, 0.05],
    [0.95, 0.32],
    [0.2, 0.6],
  ]);
}

function drawSign(context: CanvasRenderingContext2D, share: number): void {
  if (share === 1) drawCircle(context);
  else fill(context, share === 0 ? diamond : triangle);
}

/** A cross, an exclamation mark or a tick. */
function drawSymbol(context: CanvasRenderingContext2D, share: number): void {
  if (share === 1) {
    stroke(context, [
      [0.05, 0.5],
      [0.38, 0.85],
      [0.95, 0.15],
    ]);
    return;
  }
  if (share > 0) {
    context.fillRect(0.4, 0.05, 0.2, 0.6);
    context.fillRect(0.4, 0.78, 0.2, 0.2);
    return;
  }
  stroke(context, [
    [0.1, 0.1],
    [0.9, 0.9],
  ]);
  stroke(context, [
    [0.9, 0.1],
    [0.1, 0.9],
  ]);
}

function drawQuarter(context: CanvasRenderingContext2D, share: number): void {
  context.lineWidth = 0.1;
  context.beginPath();
  context.arc(0.5, 0.5, 0.45, 0, 2 * Math.PI);
  context.stroke();
  context.beginPath();
  context.moveTo(0.5, 0.5);
  context.arc(0.5, 0.5, 0.45, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
  context.fill();
}

/** Bars that grow, as many of them full as the rank says. */
function drawBars(context: CanvasRenderingContext2D, _: number, { rank, count }: Icon): void {
  const bars = Math.max(1, count - 1);
  for (let bar = 0; bar < bars; bar++) {
    const height = (bar + 1) / bars;
    context.globalAlpha = bar < rank ? 1 : 0.25;
    context.fillRect(bar / bars, 1 - height, 0.7 / bars, height);
  }
}
